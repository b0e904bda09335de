import { requireKafkaAccess } from '#cluster/access.ts';
import {
  BUSY,
  isPassing,
  type NewTopic,
  PASSING,
  type TopicAdmin,
  type TopicShape,
  withTopicAdmin,
} from '#cluster/topic-admin.ts';
import type { Brokers } from '#security/brokers.ts';
import { poll } from '#timing/poll.ts';
import { retry } from '#timing/retry.ts';
import { TopicAdminError, TopicMismatchError } from './errors.ts';
import { POSITIONS, PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from './processors.ts';
import {
  type Replication,
  replicationFor,
  replicationWarnings,
  type WantedReplication,
} from './replication.ts';
import { isByEvent, TOPIC_NAMES, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';

/** How topics are made. */
export type WantedTopics = WantedReplication & {
  /** Partitions of all topics of a match, instead of the table's. */
  readonly partitions?: number | undefined;
};

/** Where and how to create topics. */
export type CreateTopicsOptions = WantedTopics & { readonly brokers: Brokers; readonly prefix: string };

/** How, on a cluster of known size. */
type TopicPlan = Pick<CreateTopicsOptions, 'prefix' | 'partitions'> & { readonly replication: Replication };

/** How long a broker may take until it can create topics, and until it lists new ones. */
const SETTLE_MS = 120_000;
const LOOK_MS = 50;
/** Compaction skips the newest segment, so the segments of a compacted topic are small. */
const COMPACTED_SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Creates every missing topic of the table, and changes no existing one: retention and copies are the operator's. Gives a
 * line for everything that is unsafe about their copies. May run in several processes at once. Throws `TopicMismatchError`
 * where one has another number of partitions, `TopicAdminError` where the broker cannot be reached or refuses,
 * `StreamError` where it refuses the connection.
 */
export async function createTopics(options: CreateTopicsOptions): Promise<string[]> {
  // Report more replicas than brokers at once: waiting would not help.
  const passing = options.replicationFactor === undefined ? PASSING : BUSY;
  return withAdmin(options.brokers, STARTING_MS, async (admin) => {
    // Retried until a broker is registered: each further request may reach a broker that is down.
    let brokers = 0;
    const make = async (): Promise<string[]> => {
      brokers ||= await admin.brokerCount();
      const plan: TopicPlan = { ...options, replication: replicationFor(brokers, options) };
      const before = await admin.topics();
      const missing = wantedTopics(plan).filter(({ name }) => !before.has(name));
      if (missing.length > 0)
        await admin.createTopics(missing.map((topic) => topicConfig(topic, plan.replication)));
      const there = await settled(admin, plan);
      return [...replicationWarnings(brokers, plan.replication), ...fewCopies(there, plan)];
    };
    const pause = { firstMs: LOOK_MS, ceilingMs: LOOK_MS };
    return retry(make, { ...pause, deadlineMs: SETTLE_MS, passes: (error) => isPassing(error, passing) });
  });
}

/** A line where topics that were there before have fewer copies than new ones get. */
function fewCopies(there: ReadonlyMap<string, TopicShape>, plan: TopicPlan): string[] {
  const { replicas: wanted } = plan.replication;
  const few = wantedTopics(plan).filter(({ name }) => (there.get(name)?.replicas ?? wanted) < wanted);
  if (few.length === 0) return [];
  const names = few.map(({ name }) => name).join(', ');
  return [`topics that were there have fewer copies: ${names}; kafka-reassign-partitions.sh adds some`];
}

/**
 * The topics of the table that exist on the broker. Asks for a short time where it does not answer. Throws `TopicAdminError`.
 */
export async function findTopics(options: {
  readonly brokers: Brokers;
  readonly prefix: string;
}): Promise<ReadonlySet<TopicName>> {
  const there = await withAdmin(options.brokers, TERMINAL_MS, (admin) => admin.topics());
  return new Set(TOPIC_NAMES.filter((topic) => there.has(topicName(options.prefix, topic))));
}

/** How long a deleted topic may take to disappear. */
const GONE_MS = 60_000;

/** Deletes topics, by their names on the broker, and waits until they are gone. Throws `TopicAdminError`. */
export async function deleteTopics(brokers: Brokers, names: readonly string[]): Promise<void> {
  await withAdmin(brokers, TERMINAL_MS, async (admin) => {
    const there = await admin.topics();
    const topics = names.filter((name) => there.has(name));
    if (topics.length === 0) return;
    await admin.deleteTopics(topics);
    let left = topics;
    const areGone = async (): Promise<boolean> => {
      const now = await admin.topics();
      left = topics.filter((name) => now.has(name));
      return left.length === 0;
    };
    if ((await poll(areGone, { timeoutMs: GONE_MS, everyMs: LOOK_MS })) === true) return;
    throw new Error(`${left.join(', ')} still exist after they were deleted`);
  });
}

/** The partitions of a topic, by its name on the broker; 0 where it is missing. Throws `TopicAdminError`. */
export async function topicPartitions(brokers: Brokers, name: string): Promise<number> {
  return (await withAdmin(brokers, TERMINAL_MS, (admin) => admin.topics())).get(name)?.partitions ?? 0;
}

/** How many members a consumer group has. Throws `TopicAdminError`. */
export function groupMembers(brokers: Brokers, group: string): Promise<number> {
  return withAdmin(brokers, TERMINAL_MS, (admin) => admin.groupMembers(group));
}

/** How long a broker that may still be starting is asked. */
const STARTING_MS = 20_000;
/** The same for a caller at a terminal. */
const TERMINAL_MS = 3_000;

async function withAdmin<T>(
  brokers: Brokers,
  withinMs: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  try {
    return await withTopicAdmin(brokers, withinMs, work);
  } catch (error) {
    if (error instanceof TopicMismatchError) throw error;
    // Its error names what the client tried last, not why the connection is refused.
    await requireKafkaAccess(brokers);
    throw new TopicAdminError(brokers, error);
  }
}

/** The columns of a topic's table that are broker settings. */
type TopicLimits = Pick<TopicSpec, 'cleanup' | 'retentionMs' | 'segmentBytes' | 'maxMessageBytes'>;

/** A topic's settings by the broker's names. */
export function topicSettings(spec: TopicLimits): Record<string, string> {
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

function partitionsOf(topic: TopicName, { partitions }: Pick<WantedTopics, 'partitions'>): number {
  return partitions !== undefined && isByEvent(topic) ? partitions : TOPICS[topic].partitions;
}

/** Every required topic, by its name on the broker: those of the table, and positions topics. */
export function wantedTopics(
  options: Pick<CreateTopicsOptions, 'prefix' | 'partitions'>,
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
  { replicas, minInSync }: Replication,
): NewTopic {
  const settings = { ...topicSettings(spec), 'min.insync.replicas': String(minInSync) };
  return { name, partitions, settings, replicationFactor: replicas };
}

/** Of the cluster that an operator makes topics on, which is not asked. */
const USUAL_BROKERS = 3;

/** The arguments of `kafka-topics.sh` that create each required topic, one text a topic. */
export function topicCommands({ prefix, ...wanted }: WantedTopics & { readonly prefix: string }): string[] {
  const replication = replicationFor(USUAL_BROKERS, wanted);
  return wantedTopics({ prefix, ...wanted }).map((topic) => {
    const { name, partitions, replicationFactor, settings } = topicConfig(topic, replication);
    const configs = Object.entries(settings).map(([setting, value]) => ` --config ${setting}=${value}`);
    return `--create --if-not-exists --topic '${name}' --partitions ${partitions} --replication-factor ${replicationFactor}${configs.join('')}`;
  });
}

/** Waits until every required topic is there; gives all topics. */
async function settled(admin: TopicAdmin, options: TopicPlan): Promise<ReadonlyMap<string, TopicShape>> {
  const allThere = async (): Promise<ReadonlyMap<string, TopicShape> | undefined> => {
    const there = await admin.topics();
    const wrong = wantedTopics(options).filter(
      ({ name, partitions }) => there.get(name)?.partitions !== partitions,
    );
    if (wrong.length > 0 && wrong.every(({ name }) => there.has(name)))
      throw new TopicMismatchError(
        wrong.map(
          ({ name, partitions }) =>
            `${name} has ${there.get(name)?.partitions} partitions, not ${partitions}`,
        ),
      );
    return wrong.length === 0 ? there : undefined;
  };
  const there = await poll(allThere, { timeoutMs: SETTLE_MS, everyMs: LOOK_MS });
  if (there === undefined) throw new Error('the topics did not appear after they were created');
  return there;
}
