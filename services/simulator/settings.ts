import { z } from 'zod';
import { httpUrl, integer, processSettings, secret } from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { DATASETS } from '../../data/dataset.ts';
import { FAULT_NAMES, FaultsError, PRESETS, parseFaults } from './faults.ts';

/** A positive number; a fraction is allowed. */
function positive() {
  const error = 'must be a number above 0';
  return z.string().transform(Number).pipe(z.number(error).positive(error));
}

const faults = z.string().superRefine((order, context) => {
  try {
    parseFaults(order);
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

/** Settings of the simulator. */
export const settings = z.object({
  ...processSettings,
  WEBHOOK_URL: httpUrl().describe('Where deliveries are posted to, e.g. http://localhost:8080/webhook.'),
  WEBHOOK_SECRET: secret(
    z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters`),
  ).describe(`The secret that both sides know, ${SECRET_LENGTH} characters.`),
  DATASET: z
    .enum(DATASETS, `must be one of ${DATASETS.join(', ')}`)
    .default('world-cup-2018')
    .describe(`What is played: ${DATASETS.join(' or ')}.`),
  MATCHES: integer(1, 10_000).optional().describe('How many matches, from the first on; all by default.'),
  DURATION: positive().optional().describe('Seconds that all of it takes; goes before SPEED.'),
  SPEED: z
    .union(
      [z.literal('max').transform(() => Number.POSITIVE_INFINITY), positive()],
      'must be a number above 0, or max',
    )
    .prefault('60')
    .describe('How much faster than life; max is as fast as it is accepted.'),
  SEED: z.string().default('1').describe('The same seed plays the same: faults, invented goals, added time.'),
  FAULTS: faults
    .default('none')
    .describe(
      `${Object.keys(PRESETS).join(', ')}, or name=rate with commas between, or both: some,delay=0.2. Of ${FAULT_NAMES.join(', ')}.`,
    ),
  KEEP_ALIVE_EVERY: integer(0, 3600)
    .prefault('30')
    .describe('Seconds of match time between two signs of life of a live match; 0 for none.'),
  CLOCK_EVERY: integer(0, 3600)
    .prefault('60')
    .describe('Seconds of match time between two readings of a running clock; 0 for none.'),
  BATCH_SIZE: integer(1, 1000).prefault('20').describe('Most messages of a delivery.'),
  CONCURRENCY: integer(1, 100).prefault('4').describe('Deliveries that are under way at once.'),
  SUMMARY_FILE: z
    .string()
    .optional()
    .describe('File that the summary is written to, as JSON, when all is accepted.'),
});
