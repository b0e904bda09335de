/** All commands, in the order of `touchline --help`. Each has a folder with its name, which is loaded only when the command is used. */
import type { CommandUnknownOpts } from 'commander';

export const SUMMARIES: Readonly<Record<string, string>> = {
  demo: 'starts everything, plays real matches into it, shows and checks them',
  up: 'starts broker, registry and all services but the simulator',
  doctor: 'checks what services need and says what to do; shows lag, processes and feeds',
  tail: 'shows the records of topics, decoded',
  live: 'shows the matches that are live now, and what may be traded',
  match: 'shows one match with its story',
  halt: 'halts trading by hand: a match, a competition or everything',
  resume: 'ends a halt by hand',
  end: 'ends a match that the provider never ends',
  export: 'writes states, transitions, incidents or tables as Parquet or JSON lines',
  alerts: 'publishes and prints goals, cancelled goals, closed guards and more, by rules',
  clients: 'creates, shows and changes the clients of the served contract',
  webhooks: 'shows how webhooks are delivered, resends messages, enables and disables webhooks',
  tokens: 'lists, revokes, labels and expires the access tokens of clients',
  'dead-letters': 'lists, shows and resends rejected messages and records',
  position: 'shows and sets the committed positions of a processor',
  rebuild: 'makes a processor process its whole input again',
  replay: 'rebuilds everything from the log into another topic prefix',
  compare: 'compares the states, transitions and tables of two topic prefixes',
  rules: 'checks files of competition rules, and prints the tables that they give',
  topics: 'creates the topics and registers their schemas',
  acls: 'prints the commands that grant each service its rights',
  completion: 'prints the completion script of a shell',
};

export async function loadCommand(name: string): Promise<CommandUnknownOpts> {
  return (await import(`./${name}/command.ts`)).command;
}

/** Loads the function that runs an action of a command. It returns the exit code, and throws `UsageError` for invalid arguments. */
export async function loadRun(
  name: string,
  action: string,
): Promise<(...given: readonly unknown[]) => Promise<number>> {
  const { run, actions } = await import(`./${name}/run.ts`);
  return run ?? actions[action];
}
