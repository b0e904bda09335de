import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clientsKeysOf, type DerivedKeys, deriveKeys, rotatingClientsSettings } from '#clients/keys.ts';
import { shownBrokers } from '#security/brokers.ts';
import { backboneFile } from '#service/backbone-file.ts';
import { dataSettings, type Environment, kafkaSettings, loadConfig } from '#service/config.ts';
import { createLogger, type Logger } from '#service/logger.ts';
import { findTopics } from '#topics/admin.ts';
import type { TopicCluster, TopicSource } from '#topics/read-values.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { CommandError } from './command.ts';

const placeSettings = z.object(kafkaSettings);
const DEFAULT_PREFIX = kafkaSettings.TOPIC_PREFIX.parse(undefined);

/**
 * The environment with the broker and the registry filled in where they are not set and a `touchline up` or `demo` runs
 * on this machine.
 */
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

/** The file of a data folder with the key of clients that `touchline up` made. */
export const CLIENTS_KEY_FILE = 'clients-key';

/**
 * The keys that open the webhooks of clients: those of the settings; else, where the command works with the system that
 * `touchline up` or `demo` runs here, the one that it keeps in the data folder; else null. What another system would
 * be sealed with is not known here, and a webhook sealed with this key would not be delivered there. Throws `ConfigError`.
 */
export function findWebhookKeys(env: Environment): DerivedKeys | null {
  if (env.CLIENTS_KEY || env.CLIENTS_KEY_FILE)
    return deriveKeys(clientsKeysOf(loadConfig(z.object(rotatingClientsSettings), env)), 'webhooks');
  const { DATA_DIR } = loadConfig(z.object(dataSettings), env);
  const file = join(DATA_DIR, CLIENTS_KEY_FILE);
  return existsSync(file) && isRunHere(env, DATA_DIR)
    ? deriveKeys([readFileSync(file, 'utf8').trim()], 'webhooks')
    : null;
}

/** Whether the environment means the system that runs from a data folder: a broker of it, and its topics. */
function isRunHere(env: Environment, dataDir: string): boolean {
  const here = backboneFile(dataDir).read();
  if (here === null) return false;
  const { KAFKA_BROKERS, TOPIC_PREFIX } = withBackbone(env);
  const brokers = (KAFKA_BROKERS ?? '').split(',').map((address) => address.trim());
  return (
    (TOPIC_PREFIX || DEFAULT_PREFIX) === here.topicPrefix && here.brokers.some((one) => brokers.includes(one))
  );
}

/** As `findWebhookKeys`. Throws `CommandError` where there is no key. */
export function requireWebhookKeys(env: Environment): DerivedKeys {
  const keys = findWebhookKeys(env);
  if (keys === null)
    throw new CommandError(
      'no key of clients: this system was not started by touchline up here; set CLIENTS_KEY as its services have it',
    );
  return keys;
}

/** Where a command finds the topics. Throws `ConfigError` for wrong settings, `CommandError` where there is no broker. */
export function findCluster(env: Environment): OpenCluster {
  const found = withBackbone(env);
  if (!found.KAFKA_BROKERS) {
    throw new CommandError(
      'no broker: nothing started by touchline up runs here; start that, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL',
    );
  }
  const {
    KAFKA_BROKERS: brokers,
    SCHEMA_REGISTRY_URL: registryUrl,
    TOPIC_PREFIX: prefix,
  } = loadConfig(placeSettings, found);
  return openCluster({ brokers, registryUrl, prefix });
}

/** A cluster with the registry of its schemas, for reading and writing values of topics. */
export type OpenCluster = TopicCluster & TopicSource;

/** Sends no request yet. */
export function openCluster(cluster: TopicCluster): OpenCluster {
  const { registryUrl: url, prefix } = cluster;
  return { ...cluster, registry: Registry.open({ url, prefix }) };
}

/** The log of a command: it shows nothing unless LOG_LEVEL is set. */
export function commandLog(command: string): Logger {
  return createLogger({ name: command, level: process.env.LOG_LEVEL || 'silent' });
}

/** Checks that topics are there. Throws `CommandError` where one is not, `TopicAdminError` where no broker answers. */
export async function requireTopics(
  { brokers, prefix }: TopicCluster,
  topics: readonly TopicName[],
): Promise<void> {
  const there = await findTopics({ brokers, prefix });
  const missing = topics.find((topic) => !there.has(topic));
  if (missing === undefined) return;
  const name = topicName(prefix, missing);
  throw new CommandError(`there is no topic ${name} at ${shownBrokers(brokers)}; is TOPIC_PREFIX right?`);
}
