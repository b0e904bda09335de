import { z } from 'zod';
import { groupSettings, inputSettings, kafkaSettings, processSettings } from '#service/config.ts';

/** The configuration of the service. */
export const config = z.object({ ...processSettings, ...kafkaSettings, ...groupSettings, ...inputSettings });
