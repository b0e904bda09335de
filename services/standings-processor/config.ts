import { z } from 'zod';
import { processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  RULES_DIR: z
    .string()
    .default('')
    .describe(
      'Folder of the competition rules: one JSON file for each competition, default.json for all others. Empty: data/rules of this program. Read at start.',
    ),
});
