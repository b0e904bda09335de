import { z } from 'zod';
import { processorSettings } from '#service/config.ts';

/** The configuration of the processor; its rules are those of the command that starts it. */
export const settings = z.object(processorSettings);
