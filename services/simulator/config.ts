import { z } from 'zod';
import { httpUrl, integer, listenSettings, port, processSettings, secret } from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { DATASETS } from '../../data/dataset.ts';
import { FAULT_NAMES, FaultsError, PRESETS, parseFaults } from './faults.ts';
import { parseRestFaults, REST_FAULT_NAMES, REST_PRESETS } from './rest/faults.ts';

/** A positive number; a fraction is allowed. */
function positive() {
  const error = 'must be a number above 0';
  return z.string().transform(Number).pipe(z.number(error).positive(error));
}

/** An order of faults that `parse` understands. */
function orderOf(parse: (order: string) => unknown) {
  return z.string().superRefine((order, context) => {
    try {
      parse(order);
    } catch (error) {
      if (!(error instanceof FaultsError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });
}

const fields = {
  ...processSettings,
  ...listenSettings,
  WEBHOOK_URL: httpUrl()
    .optional()
    .describe(
      'Where deliveries are posted to, e.g. http://localhost:8080/webhook; may be missing where REST_PORT is set.',
    ),
  WEBHOOK_SECRET: secret(z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters`))
    .optional()
    .describe(`The secret that both sides know, ${SECRET_LENGTH} characters; goes with WEBHOOK_URL.`),
  DATASET: z
    .enum(DATASETS, `must be one of ${DATASETS.join(', ')}`)
    .default('world-cup-2018')
    .describe(`What is played: ${DATASETS.join(' or ')}.`),
  DAYS_LATER: integer(0, 36_500)
    .prefault('0')
    .describe('Days that all of it is played later than in life; whole weeks keep the days of the week.'),
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
  FAULTS: orderOf(parseFaults)
    .default('none')
    .describe(
      `${Object.keys(PRESETS).join(', ')}, or name=rate with commas between, or both: some,delay=0.2. Of ${FAULT_NAMES.join(', ')}.`,
    ),
  SUMMARY_FILE: z
    .string()
    .optional()
    .describe('File that the summary is written to, as JSON, when all is accepted, and again at the end.'),
  REST_PORT: port()
    .optional()
    .describe(
      "HTTP port of the provider's REST interface, /v2; 0 takes a free one and logs it. Not served by default.",
    ),
  REST_CLIENT_ID: integer(1, 2_147_483_647)
    .prefault('1')
    .describe('Id of the one client of the REST interface.'),
  REST_SECRET_KEY: secret(z.string().min(8, 'must have at least 8 characters'))
    .optional()
    .describe('Secret key of that client; goes with REST_PORT.'),
  REST_FAULTS: orderOf(parseRestFaults)
    .default('none')
    .describe(
      `${Object.keys(REST_PRESETS).join(', ')}, or name=rate with commas between, or both: some,timeout=0.01. Of ${REST_FAULT_NAMES.join(', ')}.`,
    ),
};

export const settings = z.object(fields).superRefine((given, context) => {
  const need = (name: keyof typeof fields, because: string): void => {
    if (given[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: `is not set, and ${because}` });
  };
  if (given.REST_PORT === undefined) need('WEBHOOK_URL', 'REST_PORT is not either');
  else need('REST_SECRET_KEY', 'REST_PORT is');
  if (given.WEBHOOK_URL !== undefined) need('WEBHOOK_SECRET', 'WEBHOOK_URL is');
});
