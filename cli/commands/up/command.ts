/** `touchline up`: starts every service except the simulator. */
import { z } from 'zod';
import { httpUrl, renderHelp, secret } from '#service/config.ts';
import { defineCommand } from '../../command.ts';
import { platformSettings, REPLICABLE } from '../../platform-settings.ts';

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

const ABOUT = `Starts a broker, a schema registry and every service except the simulator, and runs until Ctrl-C.
Broker and registry: those of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else in Docker, else on this machine with Java 17 or later.

  --replicas <service>=<n>  number of processes of a service; may be repeated, for
                            ${REPLICABLE.join(', ')}
  --accept <topics>         lost topics to continue without, as for touchline topics`;

export const command = defineCommand({
  help: renderHelp({
    usage: 'touchline up [--replicas <service>=<n>]… [--accept <topics>]',
    about: ABOUT,
    config,
  }),
  options: {
    accept: { type: 'string' },
    replicas: { type: 'string', multiple: true },
  },
});
