import { setTimeout as delay } from 'node:timers/promises';
import { BUSY, isPassing, PASSING, withTopicAdmin } from '#streams/client/kafkajs/topic-admin.ts';
import type { NewTopic, TopicAdmin } from '#streams/client/port.ts';
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

/** Where topics are made, and how. */
export type CreateTopicsOptions = {
  readonly brokers: readonly string[];
  readonly prefix: string;
  /** Default: the broker's own. From 3 on, two replicas must have a record before it counts as written. */
  readonly replicationFactor?: number;
  /** Partitions of the topics of a match, all of them, instead of the table's. */
  readonly partitions?: number;
};

/** How long a broker may need until it can make topics; and how long these may take to be seen by it. */
const SETTLE_MS = 30_000;
/** Compaction leaves the newest segment alone, so the segments of a compacted topic are small. */
const COMPACTED_SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Makes every topic that is missing as the table says, and changes none that is there: its retention is the operator's.
 * May run in several processes at once. Throws `TopicMismatchError` where one has another number of partitions,
 * `TopicAdminError` where the broker cannot be reached or refuses.
 */
export async function createTopics(options: CreateTopicsOptions): Promise<void> {
  // More replicas than there are brokers is to be told, not waited for.
  const passing = options.replicationFactor === undefined ? PASSING : BUSY;
  await withAdmin(options.brokers, PATIENT, async (admin) => {
    const until = performance.now() + SETTLE_MS;
    for (;;) {
      try {
        await makeMissing(admin, options);
        return await settled(admin, options);
      } catch (error) {
        if (!isPassing(error, passing) || performance.now() > until) throw error;
        await delay(50);
      }
    }
  });
}

/**
 * The topics of the table that are on the broker. Asks a broker that does not answer a few times only.
 * Throws `TopicAdminError`.
 */
export async function findTopics(options: {
  readonly brokers: readonly string[];
  readonly prefix: string;
}): Promise<ReadonlySet<TopicName>> {
  const there = await withAdmin(options.brokers, BRIEF, (admin) => admin.partitionCounts());
  return new Set(TOPIC_NAMES.filter((topic) => there.has(topicName(options.prefix, topic))));
}

/** How long a topic may take to be gone once it was deleted. */
const GONE_MS = 60_000;

/** Deletes topics, by their names on the broker, and waits until they are gone. Throws `TopicAdminError`. */
export async function deleteTopics(brokers: readonly string[], names: readonly string[]): Promise<void> {
  await withAdmin(brokers, BRIEF, async (admin) => {
    const there = await admin.partitionCounts();
    const topics = names.filter((name) => there.has(name));
    if (topics.length === 0) return;
    await admin.deleteTopics(topics);
    const until = performance.now() + GONE_MS;
    for (let left = topics; left.length > 0; ) {
      if (performance.now() > until)
        throw new Error(`${left.join(', ')} are still there after they were deleted`);
      await delay(50);
      const now = await admin.partitionCounts();
      left = topics.filter((name) => now.has(name));
    }
  });
}

/** The partitions of a topic, by its name on the broker; 0 where it is missing. Throws `TopicAdminError`. */
export async function topicPartitions(brokers: readonly string[], name: string): Promise<number> {
  return (await withAdmin(brokers, BRIEF, (admin) => admin.partitionCounts())).get(name) ?? 0;
}

/** How many members a consumer group has. Throws `TopicAdminError`. */
export function groupMembers(brokers: readonly string[], group: string): Promise<number> {
  return withAdmin(brokers, BRIEF, (admin) => admin.groupMembers(group));
}

/** For a broker that may still be starting: about 20 s. */
const PATIENT = 12;
/** For someone who waits at a terminal: about 3 s. */
const BRIEF = 4;

async function withAdmin<T>(
  brokers: readonly string[],
  retries: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  try {
    return await withTopicAdmin(brokers, retries, work);
  } catch (error) {
    throw error instanceof TopicMismatchError ? error : new TopicAdminError(brokers, error);
  }
}

/** What of a topic's table is a setting of the broker. */
type Kept = Pick<TopicSpec, 'cleanup' | 'retentionMs' | 'segmentBytes' | 'maxMessageBytes'>;

/** The broker's settings of a topic, by their names there. */
export function topicSettings(spec: Kept): Record<string, string> {
  return {
    'cleanup.policy': spec.cleanup,
    'max.message.bytes': String(spec.maxMessageBytes),
    ...(spec.cleanup === 'compact'
      ? {
          'delete.retention.ms': String(spec.retentionMs),
          'segment.bytes': String(spec.segmentBytes ?? COMPACTED_SEGMENT_BYTES),
        }
      : { 'retention.ms': String(spec.retentionMs) }),
  };
}

function partitionsOf(topic: TopicName, { partitions }: CreateTopicsOptions): number {
  return partitions !== undefined && isByEvent(topic) ? partitions : TOPICS[topic].partitions;
}

/** Every topic that must be there, by its name on the broker: those of the table, and those of positions. */
function wantedTopics(options: CreateTopicsOptions): { name: string; partitions: number; spec: Kept }[] {
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
  { replicationFactor }: CreateTopicsOptions,
): NewTopic {
  const settings = topicSettings(spec);
  if (replicationFactor !== undefined && replicationFactor >= 3) settings['min.insync.replicas'] = '2';
  return { name, partitions, settings, ...(replicationFactor === undefined ? {} : { replicationFactor }) };
}

async function makeMissing(admin: TopicAdmin, options: CreateTopicsOptions): Promise<void> {
  const there = await admin.partitionCounts();
  const missing = wantedTopics(options).filter(({ name }) => !there.has(name));
  if (missing.length > 0) await admin.createTopics(missing.map((topic) => topicConfig(topic, options)));
}

async function settled(admin: TopicAdmin, options: CreateTopicsOptions): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const there = await admin.partitionCounts();
    const wrong = wantedTopics(options).flatMap(({ name, partitions }) => {
      const found = there.get(name);
      return found === partitions
        ? []
        : [{ found, text: `${name} has ${found} partitions, not ${partitions}` }];
    });
    if (wrong.length === 0) return;
    if (wrong.every(({ found }) => found !== undefined))
      throw new TopicMismatchError(wrong.map(({ text }) => text));
    if (performance.now() > until) throw new Error('the topics did not appear after they were made');
    await delay(50);
  }
}
