import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { httpUrl, secret } from '#service/config.ts';
import { defineCommand } from '../../command.ts';
import { platformSettings, REPLICABLE, settingsNotes } from '../../platform-settings.ts';

export const config = z
  .object({
    ...platformSettings,
    PROVIDER_BASE_URL: httpUrl()
      .optional()
      .describe('REST interface of a provider to poll, without /v2. Default: nothing is polled.'),
    PROVIDER_CLIENT_ID: z
      .string()
      .optional()
      .describe('Client id at the provider; required with PROVIDER_BASE_URL.'),
    PROVIDER_SECRET_KEY: secret(z.string().optional()).describe(
      'Secret key at the provider; required with PROVIDER_BASE_URL.',
    ),
  })
  .superRefine((given, context) => {
    for (const name of ['PROVIDER_CLIENT_ID', 'PROVIDER_SECRET_KEY'] as const)
      if (given.PROVIDER_BASE_URL !== undefined && given[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required with PROVIDER_BASE_URL' });
  });

export const command = defineCommand('up', {
  about: `Starts a broker, a schema registry and every service except the simulator, and runs until Ctrl-C. Broker and
registry: those of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else in Docker, else on this machine with Java 17 or later.`,
  examples: ['up', 'up --replicas match-processor=2'],
  notes: settingsNotes(config),
})
  .option(
    '--replicas <service=n>',
    `number of processes of a service: ${REPLICABLE.join(', ')}; may be repeated`,
    replicas,
  )
  .option('--accept <topics>', 'lost topics to continue without, as for touchline topics');

const MAX_REPLICAS = 64;

function replicas(text: string, before: ReadonlyMap<string, number> = new Map()) {
  const [, name = '', count = ''] = /^([a-z-]+)=([1-9]\d?)$/.exec(text) ?? [];
  if (!REPLICABLE.includes(name) || Number(count) > MAX_REPLICAS)
    throw new InvalidArgumentError(
      `It must be <service>=<n>, 1 to ${MAX_REPLICAS} of ${REPLICABLE.join(', ')}.`,
    );
  return new Map([...before, [name, Number(count)]]);
}
