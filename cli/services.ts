/** The services, for the command line, the docs and the checks of deployments. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';

const SERVICES = new URL('../services/', import.meta.url);

/** Returns the names of the folders of services that have a program, in alphabetical order. */
export function serviceNames(): string[] {
  const hasProgram = (name: string): boolean => existsSync(new URL(`${name}/main.ts`, SERVICES));
  return readdirSync(SERVICES).filter(hasProgram).sort();
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

/** Returns the settings of a service. */
export async function serviceConfig(name: string): Promise<z.ZodObject> {
  return (await import(`../services/${name}/config.ts`)).settings;
}

/** Runs a service in this process, as `node services/<name>/main.ts` does. The service ends the process itself. */
export async function runServiceHere(name: string, args: readonly string[]): Promise<void> {
  const program = programOf(name);
  process.argv = [process.argv[0] ?? 'node', program, ...args];
  await import(pathToFileURL(program).href);
}
