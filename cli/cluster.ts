import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type DerivedKeys, deriveKeys, rotatingClientsSettings } from '#clients/keys.ts';
import type { TopicValues } from '#records/types.ts';
import { shownBrokers } from '#security/brokers.ts';
import { dataSettings, type Environment, kafkaSettings, loadConfig } from '#service/config.ts';
import { createLogger, type Logger } from '#service/logger.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { findTopics } from '#topics/admin.ts';
import type { OpenTopics, TopicCluster } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { backboneFile } from './backbone-file.ts';
import { CommandError } from './command.ts';

const DEFAULT_PREFIX = kafkaSettings.TOPIC_PREFIX.parse(undefined);

/** Returns the environment; fills in unset broker and registry settings when `touchline up` or `demo` runs on this machine. */
export function withBackbone(env: Environment): Environment {
  if (env.KAFKA_BROKERS) return env;
  const { DATA_DIR } = loadConfig(z.object(dataSettings), env);
  const address = backboneFile(DATA_DIR).read();
  if (address === null) return env;
  return {
    ...env,
    KAFKA_BROKERS: address.brokers.join(','),
    SCHEMA_REGISTRY_URL: env.SCHEMA_REGISTRY_URL || address.registryUrl,
    TOPIC_PREFIX: env.TOPIC_PREFIX || address.topicPrefix,
  };
}

/** Name of the file in a data folder with the clients' key that `touchline up` created. */
export const CLIENTS_KEY_FILE = 'clients-key';

/**
 * Returns the keys that open the webhooks of clients: those of the settings, else the key in the data folder when the command
 * works with the system that runs from that folder, else null. Another system could not open what this key seals. Throws
 * `ConfigError`.
 */
export function findWebhookKeys(env: Environment): DerivedKeys | null {
  if (env.CLIENTS_KEY || env.CLIENTS_KEY_FILE)
    return deriveKeys(loadConfig(z.object(rotatingClientsSettings), env), 'webhooks');
  const dataDir = dataDirWithPlatform(env);
  if (dataDir === null) return null;
  const file = join(dataDir, CLIENTS_KEY_FILE);
  return existsSync(file) ? deriveKeys({ CLIENTS_KEY: readFileSync(file, 'utf8').trim() }, 'webhooks') : null;
}

/** Returns the data folder of the `touchline up` of this machine that runs the system of the environment; null without one. */
export function dataDirWithPlatform(env: Environment): string | null {
  const { DATA_DIR } = loadConfig(z.object(dataSettings), env);
  const here = backboneFile(DATA_DIR).read();
  if (here === null) return null;
  const { KAFKA_BROKERS, TOPIC_PREFIX } = withBackbone(env);
  const brokers = (KAFKA_BROKERS ?? '').split(',').map((address) => address.trim());
  const isHere =
    (TOPIC_PREFIX || DEFAULT_PREFIX) === here.topicPrefix &&
    here.brokers.some((one) => brokers.includes(one));
  return isHere ? DATA_DIR : null;
}

/** Like `findWebhookKeys`, but throws `CommandError` when there is no key. */
export function requireWebhookKeys(env: Environment): DerivedKeys {
  const keys = findWebhookKeys(env);
  if (keys === null)
    throw new CommandError(
      'no key of clients: set CLIENTS_KEY to the value that the services of this system have',
    );
  return keys;
}

/** Returns the cluster that a command works with. Throws `ConfigError` for invalid settings, `CommandError` when no broker is known. */
export function findCluster(env: Environment): OpenCluster {
  const found = withBackbone(env);
  if (!found.KAFKA_BROKERS)
    throw new CommandError('no broker: start touchline up, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL');
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, TOPIC_PREFIX } = loadConfig(z.object(kafkaSettings), found);
  return openCluster({ brokers: KAFKA_BROKERS, registryUrl: SCHEMA_REGISTRY_URL, prefix: TOPIC_PREFIX });
}

/** Returns the cluster of this process's environment. Throws what `findCluster` and `requireTopics` throw. */
export async function findClusterWith(topics: readonly TopicName[]): Promise<OpenCluster> {
  const cluster = findCluster(process.env);
  await requireTopics(cluster, topics);
  return cluster;
}

/** A cluster with its schema registry, for reading and writing the values of topics. */
export type OpenCluster = TopicCluster & OpenTopics;

/** Returns the cluster with its registry. Sends no request yet. `waitMs`: as of `new Registry`. */
export function openCluster(cluster: TopicCluster, waitMs?: number): OpenCluster {
  const { registryUrl: url, prefix } = cluster;
  return { ...cluster, registry: new Registry({ url, prefix, waitMs }) };
}

export function commandLog(command: string): Logger {
  return createLogger({ name: command, level: process.env.LOG_LEVEL || 'silent' });
}

/** Publishes values. `timeoutMs`: of connecting and of each publish, default 30,000. Rejects with `PublishError`. */
export async function publishValues<T extends TopicName>(
  { brokers, prefix, registry }: OpenCluster,
  topic: T,
  entries: readonly { readonly key: string; readonly value: TopicValues[T] }[],
  { client, timeoutMs }: { readonly client: string; readonly timeoutMs?: number },
): Promise<void> {
  const codec = await registry.codec(topic);
  const name = topicName(prefix, topic);
  const records = entries.map(({ key, value }) => ({ topic: name, key, value: codec.encode(value) }));
  const limits = timeoutMs === undefined ? {} : { timeoutMs, openTimeoutMs: timeoutMs };
  const options = { brokers, clientId: `touchline-${client}`, log: commandLog(client), ...limits };
  await withPublisher(options, (publisher) => publisher.publish(records));
}

/** Returns the platform that a command acts on, for its question and its result: topics and brokers. */
export function platformName({ brokers, prefix }: Pick<TopicCluster, 'brokers' | 'prefix'>): string {
  return `${prefix}* of ${shownBrokers(brokers)}`;
}

/** Throws `CommandError` unless the operator has confirmed an order with --yes. `loss` says what it deletes, and how much. */
export function requireConfirmed(cluster: TopicCluster, yes: boolean | undefined, loss: string): void {
  if (yes !== true) throw new CommandError(`${platformName(cluster)}: ${loss}: confirm with --yes`);
}

/** Checks that topics exist. Throws `CommandError` when one is missing, `TopicAdminError` when no broker answers. */
export async function requireTopics(cluster: TopicCluster, topics: readonly TopicName[]): Promise<void> {
  const { brokers, prefix } = cluster;
  const existing = await findTopics(cluster);
  const missing = topics.find((topic) => !existing.has(topic));
  if (missing === undefined) return;
  const name = topicName(prefix, missing);
  throw new CommandError(`there is no topic ${name} at ${shownBrokers(brokers)}; is TOPIC_PREFIX right?`);
}
