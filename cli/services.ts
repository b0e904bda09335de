/** The services, each a folder with a main.ts: found by looking, run in this process. */
import { existsSync, readdirSync } from 'node:fs';

/** The folder of all services. */
export const SERVICES = new URL('../services/', import.meta.url);

const mainOf = (name: string): URL => new URL(`${name}/main.ts`, SERVICES);

/** The names of all services. */
export function serviceNames(): string[] {
  return readdirSync(SERVICES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(mainOf(entry.name)))
    .map((entry) => entry.name)
    .sort();
}

/** Runs a service in this process as `node services/<name>/main.ts` would; it ends the process itself. */
export async function runServiceHere(name: string, args: readonly string[]): Promise<void> {
  const main = mainOf(name);
  process.argv = [process.argv[0] ?? 'node', main.pathname, ...args];
  await import(main.href);
}
