import type { z } from 'zod';
import { clientsSettings } from '#clients/keys.ts';
import {
  alertRulesSettings,
  ConfigError,
  dataSettings,
  httpUrl,
  integer,
  kafkaSettings,
  listenSettings,
  port,
  processSettings,
  renderSettings,
} from '#service/config.ts';
import { securitySettings } from '#service/connection-settings.ts';
import type { AcceptedTopics, WantedTopics } from '#topics/admin.ts';
import { IDENTIFIED } from '#topics/topic-ids.ts';
import type { TopicName } from '#topics/topics.ts';
import { webhookSecret } from '../services/webhook-receiver/config.ts';
import { UsageError } from './command.ts';

export const topicTableSettings = {
  TOPIC_REPLICATION_FACTOR: integer(1, 99)
    .optional()
    .describe('Replicas of each partition of a new topic; by default one per broker, at most three.'),
  TOPIC_MIN_IN_SYNC_REPLICAS: integer(1, 99)
    .optional()
    .describe(
      'Replicas that must have a record before it counts as written; by default two of three, else one.',
    ),
  TOPIC_PARTITIONS: integer(1, 9_999)
    .optional()
    .describe(
      'Partitions of new topics of a match; all of them must have the same number. Default: that of existing ones, else 8.',
    ),
};

export function wantedTopicsOf(config: z.output<z.ZodObject<typeof topicTableSettings>>): WantedTopics {
  return {
    replicationFactor: config.TOPIC_REPLICATION_FACTOR,
    minInSync: config.TOPIC_MIN_IN_SYNC_REPLICAS,
    partitions: config.TOPIC_PARTITIONS,
  };
}

export const platformSettings = {
  ...dataSettings,
  TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX,
  KAFKA_BROKERS: kafkaSettings.KAFKA_BROKERS.optional().describe(
    'Brokers to use, as host:port, separated by commas. Default: a broker in Docker, else one started on this machine.',
  ),
  SCHEMA_REGISTRY_URL: kafkaSettings.SCHEMA_REGISTRY_URL.optional().describe(
    'Schema registry to use (Confluent API), together with KAFKA_BROKERS.',
  ),
  ...securitySettings,
  ...topicTableSettings,
  LISTEN_HOST: listenSettings.LISTEN_HOST.describe(
    'Address that the services listen on. By default only this machine reaches them; 0.0.0.0 is all addresses.',
  ),
  METRICS_HOST: processSettings.METRICS_HOST.describe('Address of metrics and health, each on a free port.'),
  WEBHOOK_PORT: port(8_080).describe('HTTP port of POST /webhook; 0 takes a free one.'),
  WEBHOOK_SECRET: webhookSecret
    .optional()
    .describe(
      'Secret of the webhook signatures, 32 characters; two separated by a comma during a rotation. Default: a new one, kept in DATA_DIR.',
    ),
  API_PORT: port(8_081).describe('HTTP port of the REST contract and the live board; 0 takes a free one.'),
  TOOLS_PORT: port(8_082).describe('HTTP port of token exchange and tool endpoint; 0 takes a free one.'),
  UPSTREAM_BASE_URL: httpUrl()
    .optional()
    .describe(
      'REST interface, without /v2, that the token exchange calls. Default: the api that is started here.',
    ),
  DISPATCHER_PORT: port(8_083).describe('HTTP port of POST /test-webhook-url/; 0 takes a free one.'),
  KAFKA_PORT: port(9_092).describe('Port of a broker started here; another one where it is in use, or 0.'),
  REGISTRY_PORT: port(8_085).describe(
    'Port of a registry started here; another one where it is in use, or 0.',
  ),
  CLIENTS_KEY: clientsSettings.CLIENTS_KEY.optional().describe(
    'Key that signs tokens and seals the webhooks of clients, at least 32 characters. Default: a new one, kept in DATA_DIR.',
  ),
  ...alertRulesSettings,
};

export type PlatformSettings = z.output<z.ZodObject<typeof platformSettings>>;

/** Throws `ConfigError` when settings secure the connections but name no broker: a broker that is started here speaks plain. */
export function requireBrokers(settings: PlatformSettings): void {
  if (settings.KAFKA_BROKERS !== undefined) return;
  const wrong = [
    ...(settings.KAFKA_TLS === 'on' ? ['KAFKA_TLS'] : []),
    ...(settings.KAFKA_SASL_MECHANISM === undefined ? [] : ['KAFKA_SASL_MECHANISM']),
  ];
  if (wrong.length > 0) throw new ConfigError(wrong.map((name) => `${name}: requires KAFKA_BROKERS`));
}

export const PORT_SETTINGS = ['WEBHOOK_PORT', 'API_PORT', 'TOOLS_PORT', 'DISPATCHER_PORT'] as const;

/** Services that can run several processes on one machine. The others listen on a fixed port. */
export const REPLICABLE: readonly string[] = [
  'alert-processor',
  'feed-monitor',
  'feed-poller',
  'match-processor',
  'standings-processor',
  'webhook-dispatcher',
];

/** Returns the settings of a command for its help. */
export function settingsNotes(config: z.ZodObject): string {
  return `Settings, from the environment (name, default, meaning):\n${renderSettings(config)}`;
}

/** Parses the lost topics that an operator accepts. Throws `UsageError`. */
export function parseAccepted(text: string | undefined): AcceptedTopics | undefined {
  if (text === undefined || text === 'all') return text;
  const names = text.split(',');
  if (names.some((name) => !IDENTIFIED.some((topic) => topic === name)))
    throw new UsageError(`--accept must be all, or one or several of ${IDENTIFIED.join(',')}`);
  return names as TopicName[];
}
