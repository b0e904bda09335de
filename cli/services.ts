/** The list of services, for the command line, the docs and the checks of deployments. */
import { fileURLToPath, pathToFileURL } from 'node:url';

export const SERVICES = new URL('../services/', import.meta.url);

/** Names of the services, each with a folder of its own. */
const NAMES: readonly string[] = [
  'alert-processor',
  'api',
  'feed-monitor',
  'feed-poller',
  'match-processor',
  'simulator',
  'standings-processor',
  'tool-gateway',
  'webhook-dispatcher',
  'webhook-receiver',
];

export function serviceNames(): string[] {
  return [...NAMES];
}

/** The process in which `touchline up` runs api and tool gateway. */
export const API_AND_TOOLS = 'api-and-tools';

/** Names of the processes of `touchline up`, with a provider: every service but the simulator. */
export function processNames(): string[] {
  return serviceNames()
    .filter((name) => name !== 'simulator' && name !== 'tool-gateway')
    .map((name) => (name === 'api' ? API_AND_TOOLS : name));
}

/** Returns the path of the program of a process: a service, or `API_AND_TOOLS`. */
export function programOf(process: string): string {
  const isOwn = process === API_AND_TOOLS;
  return fileURLToPath(
    isOwn ? new URL(`${process}.ts`, import.meta.url) : new URL(`${process}/main.ts`, SERVICES),
  );
}

/** Runs a service in this process, as `node services/<name>/main.ts` does. The service ends the process itself. */
export async function runServiceHere(name: string, args: readonly string[]): Promise<void> {
  const program = programOf(name);
  process.argv = [process.argv[0] ?? 'node', program, ...args];
  await import(pathToFileURL(program).href);
}
