/** All commands, in the order of `touchline --help`. A command is loaded when it is used: none pays for the others. */
import type { Command } from '../command.ts';

type Entry = { readonly summary: string; readonly load: () => Promise<Command> };

export const COMMANDS: Readonly<Record<string, Entry>> = {
  demo: {
    summary: 'starts everything, plays real matches into it, shows and checks them',
    load: async () => (await import('./demo/command.ts')).demo,
  },
  up: {
    summary: 'starts broker, registry and all services but the simulator',
    load: async () => (await import('./up.ts')).up,
  },
  status: {
    summary: 'shows lag, processes, tasks, dead letters and feed health on one screen',
    load: async () => (await import('./status/command.ts')).status,
  },
  doctor: {
    summary: 'checks broker, topics, schemas, lag, clock and disk, and says what to do',
    load: async () => (await import('./doctor/command.ts')).doctor,
  },
  tail: {
    summary: 'shows the records of a topic, decoded',
    load: async () => (await import('./tail.ts')).tail,
  },
  export: {
    summary: 'writes states, transitions, incidents or tables as Parquet or JSON lines',
    load: async () => (await import('./export/command.ts')).exportCommand,
  },
  alerts: {
    summary: 'publishes and prints goals, cancelled goals, closed guards and more by rules',
    load: async () => (await import('./alerts/command.ts')).alerts,
  },
  clients: {
    summary: 'makes, shows and changes the clients of the served contract',
    load: async () => (await import('./clients/command.ts')).clients,
  },
  webhooks: {
    summary: 'shows how webhooks are delivered, sends again, enables and disables them',
    load: async () => (await import('./webhooks/command.ts')).webhooks,
  },
  tokens: {
    summary: 'lists, revokes, labels and expires the access tokens of clients',
    load: async () => (await import('./tokens/command.ts')).tokens,
  },
  'dead-letters': {
    summary: 'lists rejected messages and records, shows them, sends them again',
    load: async () => (await import('./dead-letters.ts')).deadLetters,
  },
  position: {
    summary: 'shows and sets the committed positions of a processor',
    load: async () => (await import('./position.ts')).position,
  },
  rebuild: {
    summary: 'makes a processor process its whole input again',
    load: async () => (await import('./rebuild.ts')).rebuild,
  },
  replay: {
    summary: 'rebuilds everything from the log into another topic prefix',
    load: async () => (await import('./replay/command.ts')).replay,
  },
  compare: {
    summary: 'says whether two topic prefixes hold the same states, transitions and tables',
    load: async () => (await import('./compare/command.ts')).compareCommand,
  },
  topics: {
    summary: 'creates the topics and registers their schemas',
    load: async () => (await import('./topics.ts')).topics,
  },
  acls: {
    summary: 'prints the commands that grant each service its rights',
    load: async () => (await import('./acls.ts')).acls,
  },
};
