/** All commands, in the order of `touchline --help`: each has a folder of its name. A command is loaded when it is used: none pays for the others. */
import type { Command } from '../command.ts';

export const SUMMARIES: Readonly<Record<string, string>> = {
  demo: 'starts everything, plays real matches into it, shows and checks them',
  up: 'starts broker, registry and all services but the simulator',
  status: 'shows lag, processes, tasks, dead letters and feed health on one screen',
  doctor: 'checks broker, topics, schemas, lag, clock and disk, and says what to do',
  tail: 'shows the records of topics, decoded',
  live: 'shows the matches that are live now, and what may be traded',
  match: 'shows one match with its story, now or as it had been published at a time',
  export: 'writes states, transitions, incidents or tables as Parquet or JSON lines',
  alerts: 'publishes and prints goals, cancelled goals, closed guards and more by rules',
  clients: 'makes, shows and changes the clients of the served contract',
  webhooks: 'shows how webhooks are delivered, sends again, enables and disables them',
  tokens: 'lists, revokes, labels and expires the access tokens of clients',
  'dead-letters': 'lists rejected messages and records, shows them, sends them again',
  position: 'shows and sets the committed positions of a processor',
  rebuild: 'makes a processor process its whole input again',
  replay: 'rebuilds everything from the log into another topic prefix',
  compare: 'says whether two topic prefixes hold the same states, transitions and tables',
  topics: 'creates the topics and registers their schemas',
  acls: 'prints the commands that grant each service its rights',
  completion: 'prints the completion script of a shell',
};

export async function loadCommand(name: string): Promise<Command> {
  return (await import(`./${name}/command.ts`)).command;
}

/** What a command does: resolves to the exit code, throws `UsageError` for arguments that cannot be. */
export async function loadRun(name: string): Promise<(given: object) => Promise<number>> {
  return (await import(`./${name}/run.ts`)).run;
}
