import type { z } from 'zod';

/** Returns the settings of a service. */
export async function serviceConfig(name: string): Promise<z.ZodObject> {
  return (await import(`../../services/${name}/config.ts`)).settings;
}
