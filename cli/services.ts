/** The list of services, for the command line, the docs and the checks of deployments. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';

export const SERVICES = new URL('../services/', import.meta.url);

/** Loaders of each service's settings. The main.ts in a service's folder runs its `ServiceDefinition`. */
const CONFIGURATIONS: Readonly<Record<string, () => Promise<{ readonly settings: z.ZodObject }>>> = {
  'alert-processor': () => import('../services/alert-processor/config.ts'),
  api: () => import('../services/api/config.ts'),
  'feed-monitor': () => import('../services/feed-monitor/config.ts'),
  'feed-poller': () => import('../services/feed-poller/config.ts'),
  'match-processor': () => import('../services/match-processor/config.ts'),
  simulator: () => import('../services/simulator/config.ts'),
  'standings-processor': () => import('../services/standings-processor/config.ts'),
  'tool-gateway': () => import('../services/tool-gateway/config.ts'),
  'webhook-dispatcher': () => import('../services/webhook-dispatcher/config.ts'),
  'webhook-receiver': () => import('../services/webhook-receiver/config.ts'),
};

export function serviceNames(): string[] {
  return Object.keys(CONFIGURATIONS);
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

/** Returns the settings of a service. Throws `Error` for an unknown name. */
export async function serviceConfig(name: string): Promise<z.ZodObject> {
  const load = Object.hasOwn(CONFIGURATIONS, name) ? CONFIGURATIONS[name] : undefined;
  if (load === undefined) throw new Error(`there is no service ${name}`);
  return (await load()).settings;
}

/** Runs a service in this process, as `node services/<name>/main.ts` does. The service ends the process itself. */
export async function runServiceHere(name: string, args: readonly string[]): Promise<void> {
  const program = programOf(name);
  process.argv = [process.argv[0] ?? 'node', program, ...args];
  await import(pathToFileURL(program).href);
}
