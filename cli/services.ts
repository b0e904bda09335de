/** The services, each a folder with a main.ts: found by looking, run in this process. */
import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';

const SERVICES = new URL('../services/', import.meta.url);

const mainOf = (name: string): URL => new URL(`${name}/main.ts`, SERVICES);

/** The names of all services. */
export function serviceNames(): string[] {
  return readdirSync(SERVICES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(mainOf(entry.name)))
    .map((entry) => entry.name)
    .sort();
}

/** The settings of a service. Throws where its config.ts exports none. */
export async function serviceConfig(name: string): Promise<z.ZodObject> {
  const module: Record<string, unknown> = await import(new URL(`${name}/config.ts`, SERVICES).href);
  const config = Object.values(module).find(
    (one): one is z.ZodObject => one instanceof z.ZodObject && 'METRICS_PORT' in one.shape,
  );
  if (config === undefined) throw new Error(`services/${name}/config.ts exports no configuration`);
  return config;
}

/** Runs a service in this process as `node services/<name>/main.ts` would; it ends the process itself. */
export async function runServiceHere(name: string, args: readonly string[]): Promise<void> {
  const main = mainOf(name);
  process.argv = [process.argv[0] ?? 'node', main.pathname, ...args];
  await import(main.href);
}
