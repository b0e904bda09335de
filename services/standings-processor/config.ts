import { z } from 'zod';
import { processorSettings, rulesSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  ...rulesSettings,
});
