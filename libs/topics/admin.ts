import type { Brokers } from '#streams/client/brokers.ts';
import { BUSY, isPassing, PASSING, withTopicAdmin } from '#streams/client/kafkajs/topic-admin.ts';
import { requireKafkaAccess } from '#streams/client/platformatic/access.ts';
import type { NewTopic, TopicAdmin } from '#streams/client/port.ts';
import { poll } from '#timing/poll.ts';
import { retry } from '#timing/retry.ts';
import { TopicAdminError, TopicMismatchError } from './errors.ts';
import { PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from './processors.ts';
import {
  isByEvent,
  POSITIONS,
  TOPIC_NAMES,
  TOPICS,
  type TopicName,
  type TopicSpec,
  topicName,
} from './topics.ts';

/** Where and how to create topics. */
export type CreateTopicsOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  /** Default: the broker's own. From 3 on, two replicas must acknowledge a record. */
  readonly replicationFactor?: number;
  /** Partitions of all topics of a match, instead of the table's. */
  readonly partitions?: number;
};

/** How long a broker may take until it can create topics, and until it lists new ones. */
const SETTLE_MS = 120_000;
const LOOK_MS = 50;
/** Compaction skips the newest segment, so the segments of a compacted topic are small. */
const COMPACTED_SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Creates every missing topic of the table, and changes no existing one: retention is the operator's. May run in several
 * processes at once. Throws `TopicMismatchError` where one has another number of partitions, `TopicAdminError` where the
 * broker cannot be reached or refuses, `StreamError` where it refuses the connection.
 */
export async function createTopics(options: CreateTopicsOptions): Promise<void> {
  // Report more replicas than brokers at once: waiting would not help.
  const passing = options.replicationFactor === undefined ? PASSING : BUSY;
  await withAdmin(options.brokers, STARTING_RETRIES, async (admin) => {
    const make = async (): Promise<void> => {
      await makeMissing(admin, options);
      await settled(admin, options);
    };
    const pause = { firstMs: LOOK_MS, ceilingMs: LOOK_MS };
    await retry(make, { ...pause, deadlineMs: SETTLE_MS, passes: (error) => isPassing(error, passing) });
  });
}

/**
 * The topics of the table that exist on the broker. Few retries where it does not answer. Throws `TopicAdminError`.
 */
export async function findTopics(options: {
  readonly brokers: Brokers;
  readonly prefix: string;
}): Promise<ReadonlySet<TopicName>> {
  const there = await withAdmin(options.brokers, TERMINAL_RETRIES, (admin) => admin.partitionCounts());
  return new Set(TOPIC_NAMES.filter((topic) => there.has(topicName(options.prefix, topic))));
}

/** How long a deleted topic may take to disappear. */
const GONE_MS = 60_000;

/** Deletes topics, by their names on the broker, and waits until they are gone. Throws `TopicAdminError`. */
export async function deleteTopics(brokers: Brokers, names: readonly string[]): Promise<void> {
  await withAdmin(brokers, TERMINAL_RETRIES, async (admin) => {
    const there = await admin.partitionCounts();
    const topics = names.filter((name) => there.has(name));
    if (topics.length === 0) return;
    await admin.deleteTopics(topics);
    let left = topics;
    const areGone = async (): Promise<boolean> => {
      const now = await admin.partitionCounts();
      left = topics.filter((name) => now.has(name));
      return left.length === 0;
    };
    if ((await poll(areGone, { timeoutMs: GONE_MS, everyMs: LOOK_MS })) === true) return;
    throw new Error(`${left.join(', ')} still exist after they were deleted`);
  });
}

/** The partitions of a topic, by its name on the broker; 0 where it is missing. Throws `TopicAdminError`. */
export async function topicPartitions(brokers: Brokers, name: string): Promise<number> {
  return (await withAdmin(brokers, TERMINAL_RETRIES, (admin) => admin.partitionCounts())).get(name) ?? 0;
}

/** How many members a consumer group has. Throws `TopicAdminError`. */
export function groupMembers(brokers: Brokers, group: string): Promise<number> {
  return withAdmin(brokers, TERMINAL_RETRIES, (admin) => admin.groupMembers(group));
}

/** Retries for a broker that may still be starting: about 20 s. */
const STARTING_RETRIES = 12;
/** Retries for a caller at a terminal: about 3 s. */
const TERMINAL_RETRIES = 4;

async function withAdmin<T>(
  brokers: Brokers,
  retries: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  try {
    return await withTopicAdmin(brokers, retries, work);
  } catch (error) {
    if (error instanceof TopicMismatchError) throw error;
    // Its error names what the client tried last, not why the connection is refused.
    await requireKafkaAccess(brokers);
    throw new TopicAdminError(brokers, error);
  }
}

/** The columns of a topic's table that are broker settings. */
type TopicLimits = Pick<TopicSpec, 'cleanup' | 'retentionMs' | 'maxMessageBytes'>;

/** A topic's settings by the broker's names. */
export function topicSettings(spec: TopicLimits): Record<string, string> {
  return {
    'cleanup.policy': spec.cleanup,
    'max.message.bytes': String(spec.maxMessageBytes),
    ...(spec.cleanup === 'compact'
      ? { 'delete.retention.ms': String(spec.retentionMs), 'segment.bytes': String(COMPACTED_SEGMENT_BYTES) }
      : { 'retention.ms': String(spec.retentionMs) }),
  };
}

function partitionsOf(topic: TopicName, { partitions }: Pick<CreateTopicsOptions, 'partitions'>): number {
  return partitions !== undefined && isByEvent(topic) ? partitions : TOPICS[topic].partitions;
}

/** Every required topic, by its name on the broker: those of the table, and positions topics. */
function wantedTopics(
  options: Omit<CreateTopicsOptions, 'brokers'>,
): { name: string; partitions: number; spec: TopicLimits }[] {
  const { prefix } = options;
  return [
    ...TOPIC_NAMES.map((topic) => ({
      name: topicName(prefix, topic),
      partitions: partitionsOf(topic, options),
      spec: TOPICS[topic],
    })),
    ...PROCESSOR_NAMES.map((processor) => ({
      name: positionsTopicName(prefix, processor),
      partitions: partitionsOf(PROCESSORS[processor].input, options),
      spec: POSITIONS,
    })),
  ];
}

function topicConfig(
  { name, partitions, spec }: ReturnType<typeof wantedTopics>[number],
  { replicationFactor }: Pick<CreateTopicsOptions, 'replicationFactor'>,
): NewTopic {
  const settings = topicSettings(spec);
  if (replicationFactor !== undefined && replicationFactor >= 3) settings['min.insync.replicas'] = '2';
  return { name, partitions, settings, ...(replicationFactor === undefined ? {} : { replicationFactor }) };
}

/** The arguments of `kafka-topics.sh` that create each required topic, one text a topic. */
export function topicCommands(options: Omit<CreateTopicsOptions, 'brokers'>): string[] {
  return wantedTopics(options).map((wanted) => {
    const { name, partitions, replicationFactor, settings } = topicConfig(wanted, options);
    const configs = Object.entries(settings).map(([setting, value]) => ` --config ${setting}=${value}`);
    const replicas = replicationFactor === undefined ? '' : ` --replication-factor ${replicationFactor}`;
    return `--create --if-not-exists --topic '${name}' --partitions ${partitions}${replicas}${configs.join('')}`;
  });
}

async function makeMissing(admin: TopicAdmin, options: CreateTopicsOptions): Promise<void> {
  const there = await admin.partitionCounts();
  const missing = wantedTopics(options).filter(({ name }) => !there.has(name));
  if (missing.length > 0) await admin.createTopics(missing.map((topic) => topicConfig(topic, options)));
}

async function settled(admin: TopicAdmin, options: CreateTopicsOptions): Promise<void> {
  const areThere = async (): Promise<boolean> => {
    const there = await admin.partitionCounts();
    const wrong = wantedTopics(options).flatMap(({ name, partitions }) => {
      const found = there.get(name);
      return found === partitions
        ? []
        : [{ found, text: `${name} has ${found} partitions, not ${partitions}` }];
    });
    if (wrong.length > 0 && wrong.every(({ found }) => found !== undefined))
      throw new TopicMismatchError(wrong.map(({ text }) => text));
    return wrong.length === 0;
  };
  if ((await poll(areThere, { timeoutMs: SETTLE_MS, everyMs: LOOK_MS })) === true) return;
  throw new Error('the topics did not appear after they were created');
}
