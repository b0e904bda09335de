import { z } from 'zod';
import { alertRulesSettings, processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object({
  ...processorSettings,
  ...alertRulesSettings,
});
