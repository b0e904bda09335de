import { defineError } from '#errors/touchline-error.ts';

/** Environment variables by name, as in `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Default version of the broker: 4.3.0 to 4.4.0 have a defect, see docs/known-issues.md. */
export const KAFKA_VERSION = '4.2.1';

/** Path of the registry's Confluent API. */
export const CONFLUENT_API = '/apis/ccompat/v7';

/** Settings of a single broker: one replica of everything, small internal topics, no wait for others. */
export const LONE_BROKER: Readonly<Record<string, string>> = {
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': '0',
  // As the topics of Touchline have it: for the broker's own and the registry's.
  'log.cleaner.max.compaction.lag.ms': '604800000',
  'offsets.topic.num.partitions': '8',
  'transaction.state.log.num.partitions': '8',
  'node.id': '1',
  // A lone controller has nobody to show that it is alive: its record twice a second costs 1.3 % of a core.
  'metadata.max.idle.interval.ms': '0',
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
};

/** Java arguments for a broker that runs briefly, or a small load: it starts with 3.0 s of processor time instead of 5.6, and is slower later. */
export const QUICK_START: readonly string[] = ['-XX:TieredStopAtLevel=1'];

/** Returns the environment variables of a registry that stores its schemas in the broker. */
export function registryEnvironment(brokers: readonly string[]): Record<string, string> {
  return {
    APICURIO_STORAGE_KIND: 'kafkasql',
    APICURIO_KAFKASQL_BOOTSTRAP_SERVERS: brokers.join(','),
    // The journal is the only copy of the schemas: by default the broker would delete its records after seven days.
    APICURIO_KAFKASQL_TOPIC_RETENTION_MS: '-1',
    // Wait for a snapshot at the start, 5 s by default; without one the registry reads the whole journal.
    APICURIO_KAFKASQL_CONSUMER_POLL_TIMEOUT: '250',
  };
}

/** The error of `libs/embedded`: `code` for programs, `message` for people. */
export class EmbeddedError extends defineError('EmbeddedError') {}

/** Returns what a failed command wrote to stderr; '' for other errors. */
export function stderrOf(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
}
