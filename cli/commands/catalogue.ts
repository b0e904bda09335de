/** All commands, in the order of `touchline --help`. A command is loaded when it is used: none pays for the others. */
import type { Command } from '../command.ts';

/** A command of the catalogue. */
export type Entry = {
  readonly summary: string;
  /** How it is called. */
  readonly define: () => Promise<Command>;
  /** What it does: resolves to the exit code, throws `UsageError` for arguments that cannot be. */
  readonly load: () => Promise<(given: never) => Promise<number>>;
};

export const COMMANDS: Readonly<Record<string, Entry>> = {
  demo: {
    summary: 'starts everything, plays real matches into it, shows and checks them',
    define: async () => (await import('./demo/command.ts')).demo,
    load: async () => (await import('./demo/run.ts')).runDemo,
  },
  up: {
    summary: 'starts broker, registry and all services but the simulator',
    define: async () => (await import('./up/command.ts')).up,
    load: async () => (await import('./up/run.ts')).runUp,
  },
  status: {
    summary: 'shows lag, processes, tasks, dead letters and feed health on one screen',
    define: async () => (await import('./status/command.ts')).status,
    load: async () => (await import('./status/run.ts')).runStatus,
  },
  doctor: {
    summary: 'checks broker, topics, schemas, lag, clock and disk, and says what to do',
    define: async () => (await import('./doctor/command.ts')).doctor,
    load: async () => (await import('./doctor/run.ts')).runDoctor,
  },
  tail: {
    summary: 'shows the records of topics, decoded',
    define: async () => (await import('./tail/command.ts')).tail,
    load: async () => (await import('./tail/run.ts')).runTail,
  },
  live: {
    summary: 'shows the matches that are live now, and what may be traded',
    define: async () => (await import('./live/command.ts')).live,
    load: async () => (await import('./live/run.ts')).runLive,
  },
  match: {
    summary: 'shows one match with its story, now or as it had been published at a time',
    define: async () => (await import('./match/command.ts')).match,
    load: async () => (await import('./match/run.ts')).runMatch,
  },
  export: {
    summary: 'writes states, transitions, incidents or tables as Parquet or JSON lines',
    define: async () => (await import('./export/command.ts')).exportCommand,
    load: async () => (await import('./export/run.ts')).runExport,
  },
  alerts: {
    summary: 'publishes and prints goals, cancelled goals, closed guards and more by rules',
    define: async () => (await import('./alerts/command.ts')).alerts,
    load: async () => (await import('./alerts/run.ts')).runAlerts,
  },
  clients: {
    summary: 'makes, shows and changes the clients of the served contract',
    define: async () => (await import('./clients/command.ts')).clients,
    load: async () => (await import('./clients/run.ts')).runClients,
  },
  webhooks: {
    summary: 'shows how webhooks are delivered, sends again, enables and disables them',
    define: async () => (await import('./webhooks/command.ts')).webhooks,
    load: async () => (await import('./webhooks/run.ts')).runWebhooks,
  },
  tokens: {
    summary: 'lists, revokes, labels and expires the access tokens of clients',
    define: async () => (await import('./tokens/command.ts')).tokens,
    load: async () => (await import('./tokens/run.ts')).runTokens,
  },
  'dead-letters': {
    summary: 'lists rejected messages and records, shows them, sends them again',
    define: async () => (await import('./dead-letters/command.ts')).deadLetters,
    load: async () => (await import('./dead-letters/run.ts')).runDeadLetters,
  },
  position: {
    summary: 'shows and sets the committed positions of a processor',
    define: async () => (await import('./position/command.ts')).position,
    load: async () => (await import('./position/run.ts')).runPosition,
  },
  rebuild: {
    summary: 'makes a processor process its whole input again',
    define: async () => (await import('./rebuild/command.ts')).rebuild,
    load: async () => (await import('./rebuild/run.ts')).runRebuild,
  },
  replay: {
    summary: 'rebuilds everything from the log into another topic prefix',
    define: async () => (await import('./replay/command.ts')).replay,
    load: async () => (await import('./replay/run.ts')).runReplay,
  },
  compare: {
    summary: 'says whether two topic prefixes hold the same states, transitions and tables',
    define: async () => (await import('./compare/command.ts')).compareCommand,
    load: async () => (await import('./compare/run.ts')).runCompare,
  },
  topics: {
    summary: 'creates the topics and registers their schemas',
    define: async () => (await import('./topics/command.ts')).topics,
    load: async () => (await import('./topics/run.ts')).runTopics,
  },
  acls: {
    summary: 'prints the commands that grant each service its rights',
    define: async () => (await import('./acls/command.ts')).acls,
    load: async () => (await import('./acls/run.ts')).runAcls,
  },
  completion: {
    summary: 'prints the completion script of a shell',
    define: async () => (await import('./completion/command.ts')).completion,
    load: async () => (await import('./completion/run.ts')).runCompletion,
  },
};
