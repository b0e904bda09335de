/** Environment variables as a process has them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The default broker version: 4.3.0 to 4.4.0 have a defect, see docs/known-issues.md. */
export const KAFKA_VERSION = '4.2.1';

/** The path of the registry's Confluent API. */
export const CONFLUENT_API = '/apis/ccompat/v7';

const ANY_BROKER: Readonly<Record<string, string>> = {
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': '0',
  'offsets.topic.num.partitions': '8',
  'transaction.state.log.num.partitions': '8',
};

/** Settings of a single broker: one replica of everything, small internal topics, no waiting for others. */
export const LONE_BROKER: Readonly<Record<string, string>> = {
  ...ANY_BROKER,
  'node.id': '1',
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
};

/** Settings of three or more brokers: two of three replicas must acknowledge a record. */
export const CLUSTER_BROKER: Readonly<Record<string, string>> = {
  ...ANY_BROKER,
  'default.replication.factor': '3',
  'min.insync.replicas': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
};

/**
 * Java arguments for a broker that runs for a short time: half of the work at the start (3.0 s of processor, not 5.6), slower
 * afterwards.
 */
export const QUICK_START: readonly string[] = ['-XX:TieredStopAtLevel=1'];

/** Settings (as environment) of a registry that stores its schemas in the broker. */
export function registryEnvironment(brokers: readonly string[]): Record<string, string> {
  return {
    APICURIO_STORAGE_KIND: 'kafkasql',
    APICURIO_KAFKASQL_BOOTSTRAP_SERVERS: brokers.join(','),
    // The journal is the only copy of the schemas: without this the broker drops it after its default of seven days.
    APICURIO_KAFKASQL_TOPIC_RETENTION_MS: '-1',
    // Its start waits this long for a snapshot, 5 s by default; without one it reads the whole journal.
    APICURIO_KAFKASQL_CONSUMER_POLL_TIMEOUT: '250',
  };
}
