import { z } from 'zod';
import { processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  RULES_DIR: z
    .string()
    .default('')
    .describe(
      'Folder of the competitions’ rules, a JSON file each, default.json for all others; empty: data/rules of this program. Read at the start.',
    ),
});
