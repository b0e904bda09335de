import { requireKafkaAccess } from '#cluster/access.ts';
import {
  BUSY_CREATE_CODES,
  isTransientCreateError,
  type NewTopic,
  type TopicAdmin,
  type TopicShape,
  TRANSIENT_CREATE_CODES,
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

/** Options for creating topics. */
export type WantedTopics = WantedReplication & {
  /** Number of partitions of all topics of a match; default: that of existing ones, else of `TOPICS`. */
  readonly partitions?: number | undefined;
};

/** The topics of one system on a cluster. */
type TopicsOfPrefix = { readonly brokers: Brokers; readonly prefix: string };

type CreateTopicsOptions = WantedTopics & TopicsOfPrefix;

/** Options for creating topics on a cluster of known size. */
type TopicPlan = Pick<CreateTopicsOptions, 'prefix' | 'partitions'> & { readonly replication: Replication };

/** Timeout for a request to a broker that may still be starting. */
const STARTING_MS = 20_000;
/** Timeout for a request of a command at a terminal. */
const TERMINAL_MS = 3_000;
/** Timeout until a broker can create topics, and until it lists new ones. */
const SETTLE_MS = 120_000;
/** Timeout until a deleted topic has disappeared. */
const DELETE_MS = 60_000;
const POLL_MS = 50;
/** Compaction skips the newest segment, so the segments of a compacted topic are small. */
const COMPACTED_SEGMENT_BYTES = 64 * 1024 * 1024;
/**
 * Time until a record of a compacted topic is compacted. By default compaction waits until half of a log is new: the weeks until then
 * double as the log grows, and each of them is a segment of four files.
 */
const COMPACTION_LAG_MS = 7 * 86_400_000;

/**
 * Creates every missing topic. Leaves existing ones unchanged, as operators may set their retention and copies. Returns a
 * warning for each risk of the copies. May run in several processes at once. Throws `TopicMismatchError` when a topic has
 * another number of partitions, `TopicAdminError` when the broker is unreachable or refuses, `StreamError` when it refuses
 * the connection.
 */
export async function createTopics(options: CreateTopicsOptions): Promise<string[]> {
  // A requested factor above the number of brokers fails at once: retries would not help.
  const retryable = options.replicationFactor === undefined ? TRANSIENT_CREATE_CODES : BUSY_CREATE_CODES;
  return withAdmin(options.brokers, STARTING_MS, async (admin) => {
    // Kept once known: each further request may reach a broker that is down.
    let brokers = 0;
    const create = async (): Promise<string[]> => {
      brokers ||= await admin.brokerCount();
      const existing = await admin.topics();
      const partitions = options.partitions ?? partitionsFound(existing, options.prefix);
      const plan: TopicPlan = { ...options, partitions, replication: replicationFor(brokers, options) };
      const missing = wantedTopics(plan).filter(({ name }) => !existing.has(name));
      if (missing.length > 0)
        await admin.createTopics(missing.map((topic) => topicConfig(topic, plan.replication)));
      const created = await waitForTopics(admin, plan);
      return [...replicationWarnings(brokers, plan.replication), ...copyWarnings(created, plan)];
    };
    return retry(create, {
      firstMs: POLL_MS,
      ceilingMs: POLL_MS,
      deadlineMs: SETTLE_MS,
      passes: (error) => isTransientCreateError(error, retryable),
    });
  });
}

/** Returns the number of partitions of an existing topic of a match; undefined without one. */
function partitionsFound(existing: ReadonlyMap<string, TopicShape>, prefix: string): number | undefined {
  const names = TOPIC_NAMES.filter(isByEvent).map((topic) => topicName(prefix, topic));
  return names.flatMap((name) => existing.get(name)?.partitions ?? []).at(0);
}

/** Returns a warning if topics have fewer copies than new ones get. */
function copyWarnings(topics: ReadonlyMap<string, TopicShape>, plan: TopicPlan): string[] {
  const { replicas: wanted } = plan.replication;
  const names = wantedTopics(plan)
    .map(({ name }) => name)
    .filter((name) => (topics.get(name)?.replicas ?? wanted) < wanted);
  if (names.length === 0) return [];
  return [`existing topics have fewer copies: ${names.join(', ')}; kafka-reassign-partitions.sh adds some`];
}

/** Returns the topics of `TOPICS` that exist on the broker. Throws `TopicAdminError`. */
export async function findTopics({ brokers, prefix }: TopicsOfPrefix): Promise<ReadonlySet<TopicName>> {
  const existing = await withAdmin(brokers, TERMINAL_MS, (admin) => admin.topics());
  return new Set(TOPIC_NAMES.filter((topic) => existing.has(topicName(prefix, topic))));
}

/** Returns the names on the broker of the topics that begin with a prefix, known or not. Throws `TopicAdminError`. */
export async function topicsUnder({ brokers, prefix }: TopicsOfPrefix): Promise<string[]> {
  const existing = await withAdmin(brokers, TERMINAL_MS, (admin) => admin.topics());
  return [...existing.keys()].filter((name) => name.startsWith(prefix));
}

/** Deletes the existing ones of these topics, named as on the broker; waits until they are gone. Throws `TopicAdminError`. */
export async function deleteTopics(brokers: Brokers, names: readonly string[]): Promise<void> {
  await withAdmin(brokers, TERMINAL_MS, async (admin) => {
    const existing = await admin.topics();
    const topics = names.filter((name) => existing.has(name));
    if (topics.length === 0) return;
    await admin.deleteTopics(topics);
    let remaining = topics;
    const areGone = async (): Promise<boolean> => {
      const current = await admin.topics();
      remaining = topics.filter((name) => current.has(name));
      return remaining.length === 0;
    };
    if ((await poll(areGone, { timeoutMs: DELETE_MS, everyMs: POLL_MS })) === true) return;
    throw new Error(`${remaining.join(', ')} still exist after they were deleted`);
  });
}

/** Returns the number of partitions of a topic, named as on the broker; 0 if it is missing. Throws `TopicAdminError`. */
export async function topicPartitions(brokers: Brokers, name: string): Promise<number> {
  return (await withAdmin(brokers, TERMINAL_MS, (admin) => admin.topics())).get(name)?.partitions ?? 0;
}

/** Returns the number of members of a consumer group. Throws `TopicAdminError`. */
export async function groupMembers(brokers: Brokers, group: string): Promise<number> {
  return (await memberNames(brokers, group)).length;
}

/** Returns the names of the members of a consumer group: instance ids where they have one. Rejects with `TopicAdminError`. */
export function memberNames(brokers: Brokers, group: string): Promise<string[]> {
  return withAdmin(brokers, TERMINAL_MS, (admin) => admin.memberNames(group));
}

async function withAdmin<T>(
  brokers: Brokers,
  timeoutMs: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  try {
    return await withTopicAdmin(brokers, timeoutMs, work);
  } catch (error) {
    if (error instanceof TopicMismatchError) throw error;
    // The client's error names its last attempt, not why the broker refuses the connection.
    await requireKafkaAccess(brokers);
    throw new TopicAdminError(brokers, error);
  }
}

/** The parts of a topic's specification that are broker settings. */
type TopicLimits = Pick<TopicSpec, 'cleanup' | 'retentionMs' | 'segmentBytes' | 'maxMessageBytes'>;

/** Returns a topic's settings by the broker's names. */
export function topicSettings(spec: TopicLimits): Record<string, string> {
  return {
    'cleanup.policy': spec.cleanup,
    'max.message.bytes': String(spec.maxMessageBytes),
    ...(spec.cleanup === 'compact'
      ? {
          'delete.retention.ms': String(spec.retentionMs),
          'max.compaction.lag.ms': String(COMPACTION_LAG_MS),
          'segment.bytes': String(spec.segmentBytes ?? COMPACTED_SEGMENT_BYTES),
        }
      : { 'retention.ms': String(spec.retentionMs) }),
  };
}

function partitionsOf(topic: TopicName, { partitions }: Pick<WantedTopics, 'partitions'>): number {
  return partitions !== undefined && isByEvent(topic) ? partitions : TOPICS[topic].partitions;
}

/** Returns every required topic, named as on the broker: those of `TOPICS`, and positions topics. */
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

/** Brokers assumed when printing commands: the operator's cluster is not queried. */
const ASSUMED_BROKERS = 3;

/** Returns the arguments of `kafka-topics.sh` that create each required topic, one text for each topic. */
export function topicCommands({ prefix, ...wanted }: WantedTopics & { readonly prefix: string }): string[] {
  const replication = replicationFor(ASSUMED_BROKERS, wanted);
  return wantedTopics({ prefix, ...wanted }).map((topic) => {
    const { name, partitions, replicationFactor, settings } = topicConfig(topic, replication);
    const configs = Object.entries(settings).map(([setting, value]) => ` --config ${setting}=${value}`);
    return `--create --if-not-exists --topic '${name}' --partitions ${partitions} --replication-factor ${replicationFactor}${configs.join('')}`;
  });
}

/** Waits until every required topic exists. Returns all topics. Throws `TopicMismatchError`. */
async function waitForTopics(admin: TopicAdmin, plan: TopicPlan): Promise<ReadonlyMap<string, TopicShape>> {
  const complete = async (): Promise<ReadonlyMap<string, TopicShape> | undefined> => {
    const existing = await admin.topics();
    const wrong = wantedTopics(plan).filter(
      ({ name, partitions }) => existing.get(name)?.partitions !== partitions,
    );
    if (wrong.length > 0 && wrong.every(({ name }) => existing.has(name)))
      throw new TopicMismatchError(
        wrong.map(
          ({ name, partitions }) =>
            `${name} has ${existing.get(name)?.partitions} partitions, not ${partitions}`,
        ),
      );
    return wrong.length === 0 ? existing : undefined;
  };
  const topics = await poll(complete, { timeoutMs: SETTLE_MS, everyMs: POLL_MS });
  if (topics === undefined) throw new Error('the topics did not appear after they were created');
  return topics;
}
