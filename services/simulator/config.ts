import { z } from 'zod';
import { httpUrl, integer, listenSettings, port, processSettings, secret } from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { DATASETS } from '../../data/dataset.ts';
import { FAULT_NAMES, FaultsError, PRESETS, parseFaults } from './faults.ts';
import { parseRestFaults, REST_FAULT_NAMES, REST_PRESETS } from './rest/faults.ts';

/** Returns the schema of a positive number, which may have a fraction. */
function positive() {
  const error = 'must be a number above 0';
  return z.string().transform(Number).pipe(z.number(error).positive(error));
}

function faultSetting(parse: (setting: string) => unknown) {
  return z.string().superRefine((setting, context) => {
    try {
      parse(setting);
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
      'Address that deliveries are posted to, e.g. http://localhost:8080/webhook; optional when REST_PORT is set.',
    ),
  WEBHOOK_SECRET: secret(z.string().length(SECRET_LENGTH, `must have exactly ${SECRET_LENGTH} characters`))
    .optional()
    .describe(`Shared secret of the signatures, ${SECRET_LENGTH} characters; required with WEBHOOK_URL.`),
  DATASET: z
    .enum(DATASETS, `must be one of ${DATASETS.join(', ')}`)
    .default('world-cup-2018')
    .describe(`Data set that is played: ${DATASETS.join(' or ')}.`),
  DAYS_LATER: integer(0, 36_500, 0).describe(
    'Number of days by which all matches are moved; whole weeks keep the days of the week.',
  ),
  MATCHES: integer(1, 10_000).optional().describe('Number of matches, from the first; all by default.'),
  DURATION: positive().optional().describe('Duration of the whole play, in seconds; overrides SPEED.'),
  SPEED: z
    .union(
      [z.literal('max').transform(() => Number.POSITIVE_INFINITY), positive()],
      'must be a number above 0, or max',
    )
    .prefault('60')
    .describe('Multiple of real time; max is as fast as deliveries are accepted.'),
  SEED: z
    .string()
    .default('1')
    .describe('Seed of faults, invented goals and added time: the same seed plays the same.'),
  FAULTS: faultSetting(parseFaults)
    .default('none')
    .describe(
      `Faults of webhooks: ${Object.keys(PRESETS).join(', ')}, or name=rate separated by commas, or both: some,delay=0.2. Names: ${FAULT_NAMES.join(', ')}.`,
    ),
  SUMMARY_FILE: z
    .string()
    .optional()
    .describe('File of the summary, as JSON, written when everything is accepted and again at the end.'),
  REST_PORT: port()
    .optional()
    .describe(
      "HTTP port of the provider's REST interface, /v2; 0 selects a free one and logs it. Not served by default.",
    ),
  REST_CLIENT_ID: integer(1, 2_147_483_647, 1).describe('Id of the one client of the REST interface.'),
  REST_SECRET_KEY: secret(z.string().min(8, 'must have at least 8 characters'))
    .optional()
    .describe('Secret key of that client; required with REST_PORT.'),
  REST_FAULTS: faultSetting(parseRestFaults)
    .default('none')
    .describe(
      `Faults of REST: ${Object.keys(REST_PRESETS).join(', ')}, or name=rate separated by commas, or both: some,timeout=0.01. Names: ${REST_FAULT_NAMES.join(', ')}.`,
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
