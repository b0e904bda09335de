/** `touchline up`: every service except the simulator. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { httpUrl, loadConfig, renderHelp, secret } from '#service/config.ts';
import { onStopRequest } from '#service/stop-requests.ts';
import { backboneLines, dataDirFor, enterFolder, shellWord } from '../addresses.ts';
import { type Command, parseArguments, UsageError } from '../command.ts';
import {
  type NewClient,
  type Platform,
  type Provider,
  platformSettings,
  REPLICABLE,
  requireBrokers,
  startPlatform,
} from '../platform.ts';
import { wantedTopicsOf } from '../topic-settings.ts';
import { keepFolder } from './demo/folder.ts';

const config = z
  .object({
    ...platformSettings,
    PROVIDER_BASE_URL: httpUrl()
      .optional()
      .describe("A provider's REST interface, without /v2, to poll; nothing is polled by default."),
    PROVIDER_CLIENT_ID: z.string().optional().describe('Client id there; goes with PROVIDER_BASE_URL.'),
    PROVIDER_SECRET_KEY: secret(z.string().optional()).describe(
      'Secret key there; goes with PROVIDER_BASE_URL.',
    ),
  })
  .superRefine((given, context) => {
    for (const name of ['PROVIDER_CLIENT_ID', 'PROVIDER_SECRET_KEY'] as const)
      if (given.PROVIDER_BASE_URL !== undefined && given[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'goes with PROVIDER_BASE_URL' });
  });
const ABOUT = `Starts a broker, a schema registry and every service but the simulator, and stays until Ctrl-C.
Broker and registry: those of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else in Docker, else here on Java 17 or later.

  --replicas <service>=<n>  so many processes of a service; once for each service, of
                            ${REPLICABLE.join(', ')}`;

/** Starts everything but the simulator. */
export const up: Command = {
  name: 'up',
  help: renderHelp({ usage: 'touchline up [--replicas <service>=<n>]…', about: ABOUT, config }),
  async run(args) {
    const replicas = parseReplicas(args);
    const settings = loadConfig(config, process.env);
    requireBrokers(settings);
    const stopping = new AbortController();
    let platform: Platform | undefined;
    onStopRequest({
      graceful: (reason) => {
        // A platform that is still starting ends with this process.
        if (platform === undefined) process.exit(0);
        say(reason === 'SIGINT' ? '\nStopping …' : `Stopping (${reason}) …`);
        stopping.abort(reason);
      },
      force: (code) => process.exit(code),
    });
    platform = await startPlatform({
      dataDir: settings.DATA_DIR,
      prefixFor: async () => settings.TOPIC_PREFIX,
      host: settings.LISTEN_HOST,
      webhookPort: settings.WEBHOOK_PORT,
      webhookSecret: settings.WEBHOOK_SECRET?.join(','),
      apiPort: settings.API_PORT,
      toolsPort: settings.TOOLS_PORT,
      upstream: settings.UPSTREAM_BASE_URL,
      dispatcherPort: settings.DISPATCHER_PORT,
      clientsKey: settings.CLIENTS_KEY,
      provider: providerOf(settings),
      brokers: settings.KAFKA_BROKERS,
      registry: settings.SCHEMA_REGISTRY_URL,
      topics: wantedTopicsOf(settings),
      replicas,
      brokerCount: 1,
      onProgress: (line) => say(`  ${line}`),
      onTrouble: (line) => say(`! ${line}`),
    });
    keepFolder(settings.DATA_DIR);
    say(`\n${renderHowTo(platform, settings.DATA_DIR)}`);
    const stay = setInterval(() => {}, 2 ** 30);
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
    clearInterval(stay);
    await platform.stop();
    return 0;
  },
};

/** A machine has room for so many at most. */
const MOST_REPLICAS = 64;

function parseReplicas(args: readonly string[]): Map<string, number> {
  const { values } = parseArguments(args, { options: { replicas: { type: 'string', multiple: true } } });
  const replicas = new Map<string, number>();
  for (const given of values.replicas ?? []) {
    const [, name = '', count = ''] = /^([a-z-]+)=([1-9]\d?)$/.exec(given) ?? [];
    if (!REPLICABLE.includes(name) || Number(count) > MOST_REPLICAS) {
      const services = REPLICABLE.join(', ');
      throw new UsageError(
        `--replicas must be <service>=<n>, with 1 to ${MOST_REPLICAS} of ${services}; not ${JSON.stringify(given)}`,
      );
    }
    replicas.set(name, Number(count));
  }
  return replicas;
}

function providerOf({
  PROVIDER_BASE_URL: baseUrl,
  PROVIDER_CLIENT_ID: clientId,
  PROVIDER_SECRET_KEY: secretKey,
}: z.output<typeof config>): Provider | null {
  if (baseUrl === undefined || clientId === undefined || secretKey === undefined) return null;
  return { baseUrl, clientId, secretKey };
}

/** Addresses of everything, and how to send and read. */
function renderHowTo(platform: Platform, dataDir: string): string {
  const { backbone, webhookUrl, secret, secretFile, secretIsNew, apiUrl, toolsUrl } = platform;
  const { dispatcherUrl, logFolder } = platform;
  const file = secretFile === null ? null : resolve(secretFile);
  const shownSecret =
    file === null ? 'as set' : secretIsNew ? `${secret}  (kept in ${file})` : `kept in ${file}`;
  const sign = file === null ? '$WEBHOOK_SECRET' : `$(cat ${shellWord(file)})`;
  return `Touchline is up: ${backbone.why}

${backboneLines(platform).join('\n')}
  Webhook   POST ${webhookUrl}
  Secret    ${shownSecret}
  Board     ${apiUrl}/
  REST      ${apiUrl}/v2  (described at ${apiUrl}/docs)
  Tokens    POST ${toolsUrl}/api/v1/token
  Tools     ${toolsUrl}/mcp
  Test      POST ${dispatcherUrl}/test-webhook-url/  (webhooks of clients: npx touchline clients webhook, npx touchline webhooks)
${clientLine(platform.newClient)}  Logs      ${resolve(logFolder)}

From another terminal
${enterFolder()}
Send real matches as a provider would
  WEBHOOK_URL=${webhookUrl} WEBHOOK_SECRET="${sign}" npx touchline simulator
Read
  ${dataDirFor(dataDir)}npx touchline tail match-state --from-beginning

Ctrl-C stops everything.
`;
}

function clientLine(client: NewClient | null): string {
  return client === null
    ? ''
    : `  Client    id ${client.id}, secret key ${client.secretKey}  (shown this once; more with npx touchline clients)\n`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
