import { z } from 'zod';
import { processorSettings } from '#service/config.ts';

/** The configuration of the service. */
export const settings = z.object(processorSettings);
