import { z } from 'zod';
import { SERVICES } from './services.ts';

/** The settings of a service. Throws where its config.ts exports none. */
export async function serviceConfig(name: string): Promise<z.ZodObject> {
  const module: Record<string, unknown> = await import(new URL(`${name}/config.ts`, SERVICES).href);
  const config = Object.values(module).find(
    (one): one is z.ZodObject => one instanceof z.ZodObject && 'METRICS_PORT' in one.shape,
  );
  if (config === undefined) throw new Error(`services/${name}/config.ts exports no configuration`);
  return config;
}
