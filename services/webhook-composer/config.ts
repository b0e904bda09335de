import { z } from 'zod';
import { processorSettings } from '#service/config.ts';

export const settings = z.object(processorSettings);
