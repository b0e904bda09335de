/** Starts broker, registry, topics and services: everything except the simulator. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { ClientDirectory, type ClientDraft } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/keys.ts';
import { findBrokerDefects } from '#cluster/broker-defects.ts';
import { startBackbone } from '#embedded/backbone.ts';
import { isOfDisk, shortageOf } from '#errors/shortages.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import { shownBrokers } from '#security/brokers.ts';
import { FolderError, makeFilesPrivate, makePrivateFolder } from '#security/folders.ts';
import { urlHost } from '#service/addresses.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { instanceId } from '#streams/leadership.ts';
import { silentLogger } from '#streams/log.ts';
import { poll } from '#timing/poll.ts';
import { type AcceptedTopics, createTopics, memberNames } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { applicationOf } from '#topics/processors.ts';
import { backboneLines } from './addresses.ts';
import { backboneFile, pausedServicesFile } from './backbone-file.ts';
import { CLIENTS_KEY_FILE, openCluster } from './cluster.ts';
import { CommandError } from './command.ts';
import { registerSchemas } from './followed-topics.ts';
import {
  type PlatformSettings,
  PORT_SETTINGS,
  platformSettings,
  wantedTopicsOf,
} from './platform-settings.ts';
import { portFor } from './ports.ts';
import { problemLines } from './problem-lines.ts';
import { ServiceProcess } from './processes.ts';
import { processNames } from './services.ts';

export type PlatformOptions = {
  readonly dataDir: string;
  readonly settings: PlatformSettings;
  /** Returns the topic prefix once broker and registry run. Default: the prefix of the settings. */
  readonly prefixFor?: (addresses: Omit<TopicCluster, 'prefix'>) => Promise<string>;
  readonly serviceSettings?: Readonly<Record<string, string>>;
  readonly provider: ProviderSettings | null;
  /** Number of processes of a service, by its name; default 1. See `REPLICABLE`. */
  readonly replicas?: ReadonlyMap<string, number>;
  readonly accept?: AcceptedTopics | undefined;
  readonly isShort?: boolean;
  readonly onProgress: (line: string) => void;
  /** Called with each failure that is being repaired, one line for each cause. */
  readonly onProblem: (line: string) => void;
};

/** Settings of the feed poller: address and credentials of a provider's REST interface, and any others. */
export type ProviderSettings = Readonly<
  Record<'PROVIDER_BASE_URL' | 'PROVIDER_CLIENT_ID' | 'PROVIDER_SECRET_KEY', string> & Record<string, string>
>;

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Starts everything, and waits until it is ready. Stops what it started when it fails. Throws `TouchlineError`. */
export async function startPlatform(options: PlatformOptions) {
  const { dataDir } = options;
  const file = backboneFile(dataDir);
  try {
    if (file.claim()) return await start(options, file);
    // One that has only just started has not written it yet.
    const { brokers, topicPrefix } = file.read() ?? {};
    const where = brokers === undefined ? '' : ` (broker ${brokers.join(',')}, topics ${topicPrefix}*)`;
    throw new CommandError(
      `touchline up already runs with the data folder ${dataDir}${where}: use it, stop it, or set DATA_DIR`,
    );
  } catch (error) {
    file.remove();
    const isSystems = !(error instanceof TouchlineError) && isOfDisk(shortageOf(error));
    throw isSystems ? new FolderError('DATA_DIR', dataDir, error) : error;
  }
}

const PAUSE_CHECK_MS = 250;

async function start(options: PlatformOptions, file: ReturnType<typeof backboneFile>) {
  const { dataDir, settings: given, onProgress, onProblem, isShort = false } = options;
  const ports: Record<string, string> = {};
  for (const setting of PORT_SETTINGS)
    ports[setting] = String(await portFor(given[setting], setting, given.LISTEN_HOST));
  const urlOf = (setting: (typeof PORT_SETTINGS)[number]) =>
    `http://${urlHost(given.LISTEN_HOST)}:${ports[setting]}`;
  const secrets = platformSecrets(dataDir, given);
  const backbone = await startBackbone({
    dataDir,
    env: process.env,
    onProgress,
    onProblem,
    isShort,
    preferredPorts: { kafka: given.KAFKA_PORT || undefined, registry: given.REGISTRY_PORT || undefined },
  });
  /** With the security settings of configured ones. */
  const addresses = {
    brokers: given.KAFKA_BROKERS ?? backbone.brokers,
    registryUrl: given.SCHEMA_REGISTRY_URL ?? backbone.registryUrl,
  };
  const services: ServiceProcess[] = [];
  const paused = pausedServicesFile(dataDir);
  // Stops services for as long as a command such as `touchline rebuild` needs them stopped.
  const pausing = setInterval(() => {
    const names = paused.read()?.services ?? [];
    for (const service of services) service.pause(names.includes(service.name));
  }, PAUSE_CHECK_MS);
  const stop = async (): Promise<void> => {
    clearInterval(pausing);
    await Promise.all(services.map((service) => service.stop()));
    await backbone.stop();
    file.remove();
  };
  try {
    const prefix = (await options.prefixFor?.(addresses)) ?? given.TOPIC_PREFIX;
    const cluster = { ...addresses, prefix };
    const { brokers, registryUrl } = backbone;
    // Commands that repair a platform must find one that is not ready.
    file.write({ brokers, registryUrl, topicPrefix: prefix });
    for (const line of backboneLines(cluster)) onProgress(line.trim());
    await prepareTopics(cluster, options);
    await requireSinglePlatform(cluster);
    const settings = {
      KAFKA_BROKERS: brokers.join(','),
      SCHEMA_REGISTRY_URL: registryUrl,
      TOPIC_PREFIX: prefix,
      ...ports,
      WEBHOOK_SECRET: secrets.webhook.secrets,
      CLIENTS_KEY: secrets.clients.secrets,
      DATA_DIR: dataDir,
      LISTEN_HOST: given.LISTEN_HOST,
      ALERT_RULES_FILE: given.ALERT_RULES_FILE,
      UPSTREAM_BASE_URL: given.UPSTREAM_BASE_URL ?? urlOf('API_PORT'),
      // The services on this machine call each other by http, as in the addresses given here.
      HTTP_TLS_CERT_FILE: '',
      HTTP_TLS_KEY_FILE: '',
      ...options.serviceSettings,
      ...options.provider,
    };
    const [newClient] = await Promise.all([
      createFirstClient(new ClientDirectory('clients', { ...cluster, log: silentLogger })),
      startServices(options, settings, services),
    ]);
    return {
      webhookUrl: `${urlOf('WEBHOOK_PORT')}/webhook`,
      apiUrl: urlOf('API_PORT'),
      toolsUrl: urlOf('TOOLS_PORT'),
      dispatcherUrl: urlOf('DISPATCHER_PORT'),
      webhookSecret: secrets.webhook,
      backbone,
      cluster,
      newClient,
      logFolder: join(dataDir, 'logs'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the services, adds them to `services` at once, and waits until they are ready. */
async function startServices(
  options: PlatformOptions,
  settings: Readonly<Record<string, string>>,
  services: ServiceProcess[],
): Promise<void> {
  const { dataDir, onProgress, onProblem } = options;
  const report = problemLines(onProblem);
  const processes = processesToStart(options);
  onProgress(`starting ${processes.map(({ label }) => label).join(', ')}`);
  for (const { name, label, own } of processes)
    services.push(
      new ServiceProcess({
        name,
        settings: { ...settings, ...own },
        logFile: join(dataDir, 'logs', `${label}.log`),
        restart: true,
        onProblem: report,
      }),
    );
  await Promise.all(services.map((service) => service.ready()));
}

async function prepareTopics(
  cluster: TopicCluster,
  { settings, accept, onProgress }: PlatformOptions,
): Promise<void> {
  const { brokers, prefix } = cluster;
  for (const { message } of await findBrokerDefects(brokers)) onProgress(`warning: ${message}`);
  onProgress('creating topics and registering schemas');
  const [{ warnings, repaired }] = await Promise.all([
    createTopics({ brokers, prefix, ...wantedTopicsOf(settings), accept, command: 'up' }),
    registerSchemas(openCluster(cluster)),
  ]);
  for (const warning of warnings) onProgress(`warning: ${warning}`);
  for (const mismatch of repaired) onProgress(`mended: ${mismatch}`);
}

/**
 * Lists the processes of each service, with their own settings: the feed poller only with a provider, the alert processor only with rules.
 * `label` is the service's name, with a number from its second process on.
 */
function processesToStart({ provider, replicas, settings }: PlatformOptions) {
  return processNames()
    .filter((name) => name !== 'feed-poller' || provider !== null)
    .filter((name) => name !== 'alert-processor' || settings.ALERT_RULES_FILE !== '')
    .flatMap((name) =>
      Array.from({ length: replicas?.get(name) ?? 1 }, (_, index) => {
        const label = index === 0 ? name : `${name}-${index + 1}`;
        // Only the first dispatcher tests addresses on the known port.
        const ofFurther = index === 0 ? {} : { DISPATCHER_PORT: '0' };
        return { name, label, own: { GROUP_INSTANCE_ID: instanceId(label), ...ofFurther } };
      }),
    );
}

/** Creates client 1 when there is no client, so that the served contract can be tried at once. Null when there are clients. */
export async function createFirstClient(directory: ClientDirectory) {
  if ((await directory.list()).length > 0) return null;
  await directory.requireReadable();
  const secretKey = newSecret();
  const secret_hash = hashSecret(secretKey);
  const draft: ClientDraft = {
    client_id: 1,
    name: 'first client',
    active: true,
    secret_hash,
    competitions: null,
    operations: null,
    may_halt: false,
    webhooks: [],
  };
  // Another process may just have created it: its secret stays.
  const client = await directory.edit(1, (known) => known ?? draft);
  return client.secret_hash === secret_hash ? { id: 1, secretKey } : null;
}

/** The service that is asked for: every platform runs it. */
const ASKED = 'match-processor';
/** A process that was killed stays in its group for a session, 6 s by default. */
const KILLED_MS = 10_000;

/** Throws `CommandError` while another platform of this machine runs on these topics: the processes of both have the same names. */
async function requireSinglePlatform({ brokers, prefix }: TopicCluster): Promise<void> {
  const name = instanceId(ASKED);
  const isAlone = await poll(
    async () => !(await memberNames(brokers, applicationOf(prefix, ASKED))).includes(name),
    { timeoutMs: KILLED_MS },
  );
  if (isAlone) return;
  throw new CommandError(
    `${ASKED} of this machine already runs on the topics ${prefix}* of ${shownBrokers(brokers)}, and two processes of one name end each ` +
      'other for ever: stop the other touchline up, or set TOPIC_PREFIX',
  );
}

function platformSecrets(dataDir: string, given: PlatformSettings) {
  makeFilesPrivate();
  makePrivateFolder(dataDir);
  const { WEBHOOK_SECRET, CLIENTS_KEY } = platformSettings;
  return {
    webhook: keptSecret(join(dataDir, 'webhook-secret'), WEBHOOK_SECRET, given.WEBHOOK_SECRET?.join(',')),
    clients: keptSecret(join(dataDir, CLIENTS_KEY_FILE), CLIENTS_KEY, given.CLIENTS_KEY),
  };
}

/**
 * Returns a secret of this deployment: the given one, else that of the file, else a new one in the file; with the file that keeps it,
 * null when a setting supplies it, and whether it was created now. During a rotation there are two secrets with a comma between them: the
 * first signs. A secret in the file is never overwritten: it may seal the webhooks of clients. Throws `CommandError` when `setting`
 * rejects the content of the file.
 */
export function keptSecret(file: string, setting: z.ZodType, given: string | undefined) {
  if (given !== undefined) return { secrets: given, file: null, isNew: false };
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  // A start that was killed leaves an empty file.
  if (kept === '') {
    const secrets = randomBytes((SECRET_LENGTH * 3) / 4).toString('base64url');
    writeFileSync(file, `${secrets}\n`, { mode: 0o600 });
    return { secrets, file, isNew: true };
  }
  const { error } = setting.safeParse(kept);
  if (error === undefined) return { secrets: kept, file, isNew: false };
  throw new CommandError(
    `${file} ${error.issues[0]?.message}: correct it, or remove it: a new secret is then created, which opens nothing that the previous one sealed`,
  );
}
