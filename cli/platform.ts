/** Broker, registry, topics and services: everything except the simulator. */

import { join } from 'node:path';
import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/secret.ts';
import { type Backbone, startBackbone } from '#embedded/backbone.ts';
import { findBrokerDefects } from '#kafka-20734/detection.ts';
import type { Brokers } from '#security/brokers.ts';
import { makeFilesPrivate, makePrivateFolder } from '#security/private-files.ts';
import { urlHost } from '#service/addresses.ts';
import { backboneFile } from '#service/backbone-file.ts';
import { instanceId } from '#service/leadership.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { quiet } from '#streams/log.ts';
import { createTopics } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { Registry } from '#topics/registry.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';
import { CLIENTS_KEY_FILE } from './cluster.ts';
import { keptSecret } from './kept-secret.ts';
import { type PlatformSettings, PORTS, platformSettings } from './platform-settings.ts';
import { portFor } from './ports.ts';
import { ServiceProcess } from './processes.ts';
import { serviceNames } from './services.ts';
import { wantedTopicsOf } from './topic-settings.ts';

/** A goal's way to the board. On a machine of few cores each process that starts beside them is a wait. */
const FIRST: readonly string[] = ['webhook-receiver', 'match-processor', 'api'];

/** Where clients look for a broker and a registry, and where docker-compose.yml has them. */
const USUAL_PORTS = { kafka: 9092, registry: 8085 } as const;

export type PlatformOptions = {
  /** Folder for the broker's data, logs and the secret. */
  readonly dataDir: string;
  readonly settings: PlatformSettings;
  /** The topic prefix, once the backbone is there. Default: that of the settings. */
  readonly prefixFor?: (backbone: PlatformBackbone) => Promise<string>;
  /** Further settings of the services. */
  readonly serviceSettings?: Readonly<Record<string, string>>;
  /** The provider whose REST is polled; null: nothing is polled. */
  readonly provider: ProviderAccess | null;
  /** Processes of a service, by its name; of others one. See `REPLICABLE`. */
  readonly replicas?: ReadonlyMap<string, number>;
  /** Brokers of an embedded cluster; 1: whatever `startBackbone` finds or starts. */
  readonly brokerCount: number;
  /** It runs for a few minutes: see `startBackbone`. */
  readonly isShort?: boolean;
  /** Called with each step, one line. */
  readonly onProgress: (line: string) => void;
  /** Called with each failure that is being repaired. */
  readonly onTrouble: (line: string) => void;
  /** Further folders whose readers should find this platform. */
  readonly alsoFoundIn?: readonly string[];
};

/** Where a provider's REST interface is, and how to get in; `settings` are further ones of the feed poller. */
export type ProviderAccess = {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly settings?: Readonly<Record<string, string>>;
};

/** A client of the served contract that was made here, with its secret key: it is shown this once. */
export type NewClient = { readonly id: number; readonly secretKey: string };

/** A broker and a registry, with the security of the configured ones. */
type PlatformBackbone = Omit<Backbone, 'brokers' | 'registryUrl'> & {
  readonly brokers: Brokers;
  readonly registryUrl: RegistryUrl;
};

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/**
 * Starts everything that takes a goal to the board, and waits for it; `startRest` starts the other services. On a failure it
 * stops what it has started. Throws `EmbeddedError`, `PortInUseError`, `AddressError`, `ProcessError`, `CommandError` for a kept
 * secret that is none, those of libs/topics.
 */
export async function startPlatform(options: PlatformOptions) {
  const { dataDir, settings: given, onProgress, onTrouble } = options;
  const { LISTEN_HOST: host } = given;
  const ports: Record<string, string> = {};
  for (const setting of PORTS) ports[setting] = String(await portFor(given[setting], setting, host));
  const urlOf = (setting: (typeof PORTS)[number]): string => `http://${urlHost(host)}:${ports[setting]}`;
  const apiUrl = urlOf('API_PORT');
  makeFilesPrivate();
  makePrivateFolder(dataDir);
  const webhookSecret = keptSecret(join(dataDir, 'webhook-secret'), {
    setting: platformSettings.WEBHOOK_SECRET,
    given: given.WEBHOOK_SECRET?.join(','),
  });
  const { secrets: clientsKey } = keptSecret(join(dataDir, CLIENTS_KEY_FILE), {
    setting: platformSettings.CLIENTS_KEY,
    given: given.CLIENTS_KEY,
  });
  const started = await startBackbone({
    dataDir,
    env: process.env,
    onProgress,
    brokerCount: options.brokerCount,
    isShort: options.isShort ?? false,
    preferredPorts: USUAL_PORTS,
  });
  const backbone: PlatformBackbone = {
    ...started,
    // With their security.
    brokers: given.KAFKA_BROKERS ?? started.brokers,
    registryUrl: given.SCHEMA_REGISTRY_URL ?? started.registryUrl,
  };
  const services: ServiceProcess[] = [];
  const files = [dataDir, ...(options.alsoFoundIn ?? [])].map(backboneFile);
  const stop = async (): Promise<void> => {
    for (const file of files) file.remove();
    await Promise.all(services.map((service) => service.stop()));
    await backbone.stop();
  };
  try {
    for (const { message } of await findBrokerDefects(backbone.brokers)) onProgress(`warning: ${message}`);
    const prefix = (await options.prefixFor?.(backbone)) ?? given.TOPIC_PREFIX;
    onProgress('creating topics and registering schemas');
    const [warnings] = await Promise.all([
      createTopics({ brokers: backbone.brokers, prefix, ...wantedTopicsOf(given) }),
      Registry.open({ url: backbone.registryUrl, prefix }).registerAll(),
    ]);
    for (const warning of warnings) onProgress(`warning: ${warning}`);
    const settings = {
      KAFKA_BROKERS: started.brokers.join(','),
      SCHEMA_REGISTRY_URL: started.registryUrl,
      TOPIC_PREFIX: prefix,
      DATA_DIR: dataDir,
      LISTEN_HOST: host,
      WEBHOOK_SECRET: webhookSecret.secrets,
      CLIENTS_KEY: clientsKey,
      UPSTREAM_BASE_URL: given.UPSTREAM_BASE_URL ?? apiUrl,
      ...ports,
      // All of it is on this machine, and reads each other's addresses as they are given here.
      HTTP_TLS_CERT_FILE: '',
      HTTP_TLS_KEY_FILE: '',
      ...options.serviceSettings,
      ...(options.provider === null ? {} : settingsOf(options.provider)),
    };
    const logFolder = join(dataDir, 'logs');
    const startAll = (processes: readonly { name: string; label: string }[]): Promise<unknown> => {
      onProgress(`starting ${processes.map(({ label }) => label).join(', ')}`);
      const started = processes.map(
        ({ name, label }) =>
          new ServiceProcess({
            name,
            settings: {
              ...settings,
              GROUP_INSTANCE_ID: instanceId(label),
              // A further dispatcher tests addresses on a free port: it is there to deliver.
              ...(label === name ? {} : { DISPATCHER_PORT: '0' }),
            },
            logFile: join(logFolder, `${label}.log`),
            restart: true,
            onTrouble,
          }),
      );
      services.push(...started);
      return Promise.all(started.map((service) => service.ready()));
    };
    const { first = [], later = [] } = Object.groupBy(processesToStart(options), ({ name }) =>
      FIRST.includes(name) ? 'first' : 'later',
    );
    const [newClient] = await Promise.all([
      firstClient({ brokers: backbone.brokers, registryUrl: backbone.registryUrl, prefix }),
      startAll(first),
    ]);
    let rest: Promise<unknown> | null = null;
    for (const file of files) {
      file.write({ brokers: started.brokers, registryUrl: started.registryUrl, topicPrefix: prefix });
    }
    return {
      backbone,
      prefix,
      webhookUrl: `${urlOf('WEBHOOK_PORT')}/webhook`,
      /** The secret to sign with; `secretFile` has it where it was made here, and `secretIsNew` where that was now. */
      secret: webhookSecret.secrets.slice(0, SECRET_LENGTH),
      secretFile: webhookSecret.file,
      secretIsNew: webhookSecret.isNew,
      /** The REST contract is under /v2 there, the live board at /. */
      apiUrl,
      /** The token exchange is at /api/v1/token there. */
      toolsUrl: urlOf('TOOLS_PORT'),
      /** Where customers' addresses are tried. */
      dispatcherUrl: urlOf('DISPATCHER_PORT'),
      /** What the webhooks of clients are sealed with. */
      clientsKey,
      /** Made where there was no client yet. */
      newClient,
      logFolder,
      /** Starts the other services, once. Resolves when they are ready; rejects with `ProcessError` where one never is. */
      startRest: () => (rest ??= startAll(later)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The processes of each service, further ones with their number. The simulator runs where it is asked for, the poller
 * where there is something to poll.
 */
function processesToStart({
  provider,
  replicas,
}: Pick<PlatformOptions, 'provider' | 'replicas'>): { name: string; label: string }[] {
  return serviceNames()
    .filter((name) => name !== 'simulator' && (name !== 'feed-poller' || provider !== null))
    .flatMap((name) =>
      Array.from({ length: replicas?.get(name) ?? 1 }, (_, index) => ({
        name,
        label: index === 0 ? name : `${name}-${index + 1}`,
      })),
    );
}

function settingsOf({ baseUrl, clientId, secretKey, settings }: ProviderAccess): Record<string, string> {
  return {
    PROVIDER_BASE_URL: baseUrl,
    PROVIDER_CLIENT_ID: clientId,
    PROVIDER_SECRET_KEY: secretKey,
    ...settings,
  };
}

/** Makes client 1 where there is no client, so that what is served can be tried at once. */
async function firstClient(place: TopicCluster): Promise<NewClient | null> {
  const directory = ClientDirectory.open({ ...place, log: quiet });
  if ((await directory.list()).length > 0) return null;
  const secretKey = newSecret();
  const secret_hash = hashSecret(secretKey);
  await directory.edit(1, () => ({
    client_id: 1,
    name: 'first client',
    active: true,
    secret_hash,
    competitions: null,
    operations: null,
    webhooks: [],
  }));
  return { id: 1, secretKey };
}
