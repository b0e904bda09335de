import { requireKafkaAccess, withConnections } from '#cluster/access.ts';
import { topicBounds } from '#cluster/logs.ts';
import {
  isTransientCreateError,
  type NewTopic,
  type TopicAdmin,
  withTopicAdmin,
} from '#cluster/topic-admin.ts';
import type { Brokers } from '#security/brokers.ts';
import { StreamError } from '#streams/errors.ts';
import { poll } from '#timing/poll.ts';
import { retry } from '#timing/retry.ts';
import { TopicAdminError, TopicMismatchError } from './errors.ts';
import { POSITIONS, PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from './processors.ts';
import {
  type AcceptingCommand,
  compactedBounds,
  findLostTopics,
  IDENTIFIED,
  readTopicMarks,
  TOPIC_IDS,
  topicIdsName,
  topicsLost,
  writeTopicMarks,
} from './topic-ids.ts';
import {
  type FoundTopic,
  judgeTopic,
  mismatchText,
  planRepairs,
  type Replication,
  replicationFor,
  replicationWarnings,
  type TopicLogs,
  type TopicMismatch,
  type WantedReplication,
  type WantedTopic,
} from './topic-rule.ts';
import { isByEvent, TOPIC_NAMES, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';

/** Options for creating topics. */
export type WantedTopics = WantedReplication & {
  /** Number of partitions of all topics of a match; default: that of existing ones, else of `TOPICS`. */
  readonly partitions?: number | undefined;
};

/** The topics of one system on a cluster. */
type TopicsOfPrefix = { readonly brokers: Brokers; readonly prefix: string };

type CreateTopicsOptions = WantedTopics &
  TopicsOfPrefix & {
    /** Lost topics to create, or to continue with as they are; `all` of them. Default: none. */
    readonly accept?: AcceptedTopics | undefined;
    /** The command that the refusal of a lost topic names. Default `topics`. */
    readonly command?: AcceptingCommand;
  };

/** The lost topics that an operator accepts. */
export type AcceptedTopics = readonly TopicName[] | 'all';

/** Timeout for a request to a broker that may still be starting. */
const STARTING_MS = 20_000;
/** Timeout for a request of a command at a terminal. */
const TERMINAL_MS = 3_000;
/** Timeout until a broker can create topics, and until it lists new ones. */
const SETTLE_MS = 120_000;
/** Timeout until a deleted topic has disappeared. */
const DELETE_MS = 60_000;
/** Timeout until a broker shows changed settings. */
const CHANGE_MS = 5_000;
const POLL_MS = 50;
const PAUSE = { firstMs: POLL_MS, ceilingMs: POLL_MS };
/** Compaction skips the newest segment, so the segments of a compacted topic are small. */
const COMPACTED_SEGMENT_BYTES = 64 * 1024 * 1024;
/** Time until a record is compacted: by default that waits until half of a log is new, and its segments of four files add up. */
const COMPACTION_LAG_MS = 7 * 86_400_000;

/** What the creation of topics did besides. */
export type CreatedTopics = {
  readonly warnings: readonly string[];
  readonly repaired: readonly string[];
};

/** How often topics are compared with the table: a reader may create one again between two requests. */
const ATTEMPTS = 5;

/** Creates missing topics, and repairs others where nothing is lost. Throws `TopicMismatchError`, `TopicAdminError`, `StreamError`. */
export function createTopics(options: CreateTopicsOptions): Promise<CreatedTopics> {
  // A requested factor above the number of brokers fails at once: retries would not help.
  const passes = (error: unknown) => isTransientCreateError(error, options.replicationFactor);
  const repaired = new Set<string>();
  return withAdmin(options.brokers, STARTING_MS, (admin) =>
    retry(() => create(admin, options, repaired), {
      ...PAUSE,
      deadlineMs: SETTLE_MS,
      passes,
    }),
  );
}

async function create(
  admin: TopicAdmin,
  options: CreateTopicsOptions,
  repaired: Set<string>,
): Promise<CreatedTopics> {
  await requireNoneLost(admin, options);
  const brokers = await admin.brokerCount();
  const replication = replicationFor(brokers, options);
  const { prefix } = options;
  const partitions = options.partitions ?? (await partitionsOfMatches(admin, options));
  const wanted = wantedTopics({ prefix, partitions }).map((topic) => topicConfig(topic, replication));
  for (let attempt = 1; ; attempt += 1) {
    const mismatches = await repairTopics(admin, options.brokers, wanted);
    for (const mismatch of mismatches) repaired.add(mismatchText(mismatch));
    const { created, wrong } = await createMissing(admin, wanted);
    if (wrong.length === 0) {
      await retry(() => recordTopics(options, created), {
        ...PAUSE,
        deadlineMs: SETTLE_MS,
        // A busy broker chooses the leader of a new topic late.
        passes: (error) => error instanceof StreamError && error.code === 'UNAVAILABLE',
      });
      const warnings = [...replicationWarnings(brokers, replication), ...copyWarnings(created, replication)];
      return { warnings, repaired: [...repaired] };
    }
    if (attempt === ATTEMPTS) throw new TopicMismatchError(wrong.map(mismatchText));
  }
}

/** May have records before the topics are recorded: every order of an operator writes one. */
const WRITTEN_BEFORE: TopicName = 'operator-orders';

/** Throws `TopicMismatchError` TOPIC_LOST when topics are not those of the record, or have records and no recorded ids. */
async function requireNoneLost(
  admin: TopicAdmin,
  { brokers, prefix, accept = [], command = 'topics' }: CreateTopicsOptions,
): Promise<void> {
  if (accept === 'all') return;
  const found = await admin.describe(IDENTIFIED.map((topic) => topicName(prefix, topic)));
  const find = () =>
    withConnections(brokers, 'touchline-topic-ids', (connections) =>
      findLostTopics(connections, prefix, found),
    );
  let known = await find();
  if (known.marks.size === 0) {
    const names = IDENTIFIED.filter((topic) => topic !== WRITTEN_BEFORE).map((topic) =>
      topicName(prefix, topic),
    );
    const existing = names.filter((name) => found.has(name));
    const used = [...(await logsOf(brokers, existing))]
      .filter(([, { isEmpty }]) => !isEmpty)
      .map(([name]) => name);
    // Another process may have made the topics meanwhile.
    if (used.length > 0) known = await find();
    if (used.length > 0 && known.marks.size === 0)
      throw new TopicMismatchError(
        [
          `${topicIdsName(prefix)} does not name the topics, and ${used.join(', ')} have records: it was lost, or the topics are copies; ` +
            `check that none of them is missing, and run npx touchline ${command} --accept all`,
        ],
        'TOPIC_LOST',
      );
  }
  const lost = known.lost.filter(({ topic }) => !accept.includes(topic));
  if (lost.length > 0) throw topicsLost(prefix, lost, command);
}

async function recordTopics(
  { brokers, prefix, accept = [] }: CreateTopicsOptions,
  created: ReadonlyMap<string, FoundTopic>,
): Promise<void> {
  const marks = await withConnections(brokers, 'touchline-topic-ids', async (connections) => {
    const known = await readTopicMarks(connections, prefix);
    const isAccepted = (topic: TopicName): boolean => accept === 'all' || accept.includes(topic);
    const changed = IDENTIFIED.flatMap((topic) => {
      const id = created.get(topicName(prefix, topic))?.id;
      return id === undefined || (id === known.get(topic)?.id && !isAccepted(topic)) ? [] : [{ topic, id }];
    });
    // Any other topic is new, and begins and ends at 0.
    const accepted = changed.map(({ topic }) => topic).filter(isAccepted);
    const bounds = await compactedBounds(connections, prefix, accepted, created);
    return changed.map(({ topic, id }) => {
      const logs = bounds.get(topicName(prefix, topic)) ?? [];
      return [topic, { id, logs: logs.map(({ start, end }) => ({ start, end })) }] as const;
    });
  });
  await writeTopicMarks(brokers, prefix, new Map(marks));
}

/** Repairs existing topics. Returns what it repaired. Throws `TopicMismatchError` for those that it cannot repair, once the settings of others are. */
async function repairTopics(
  admin: TopicAdmin,
  brokers: Brokers,
  wanted: readonly WantedTopic[],
): Promise<readonly TopicMismatch[]> {
  const existing = await admin.describe(wanted.map(({ name }) => name));
  const mismatches = mismatchesOf(wanted, existing);
  if (mismatches.length === 0) return [];
  const broken = mismatches.filter(({ breaks }) => breaks).map(({ topic }) => topic);
  const logs = await logsOf(brokers, broken);
  const repairs = planRepairs(mismatches, (topic) => logs.get(topic) ?? NOTHING_THERE);
  // A setting that is left destroys further records; partitions are changed together or not at all.
  if (repairs.alter.size > 0) await admin.alterSettings(repairs.alter);
  if (repairs.refused.length > 0) throw new TopicMismatchError(repairs.refused);
  if (repairs.grow.size > 0) await admin.addPartitions(repairs.grow);
  if (repairs.recreate.length > 0) await deleteAndWait(admin, repairs.recreate);
  return mismatches;
}

/** Creates the missing topics. Returns all of them when they exist, with what still breaks: a broker shows a change after a moment. */
async function createMissing(
  admin: TopicAdmin,
  wanted: readonly NewTopic[],
): Promise<{ readonly created: ReadonlyMap<string, FoundTopic>; readonly wrong: readonly TopicMismatch[] }> {
  const existing = await admin.topics();
  const missing = wanted.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) await admin.createTopics(missing);
  const areThere = async (): Promise<boolean> => {
    const found = await admin.topics();
    return wanted.every(({ name }) => found.has(name));
  };
  if ((await poll(areThere, { timeoutMs: SETTLE_MS, everyMs: POLL_MS })) !== true)
    throw new Error('the topics did not appear after they were created');
  let created: ReadonlyMap<string, FoundTopic> = new Map();
  let wrong: TopicMismatch[] = [];
  const areRight = async (): Promise<boolean> => {
    created = await admin.describe(wanted.map(({ name }) => name));
    wrong = mismatchesOf(wanted, created).filter(({ breaks }) => breaks);
    return wrong.length === 0;
  };
  await poll(areRight, { timeoutMs: CHANGE_MS, everyMs: POLL_MS });
  return { created, wrong };
}

/** Returns how existing topics differ from the required ones. */
function mismatchesOf(
  wanted: readonly WantedTopic[],
  existing: ReadonlyMap<string, FoundTopic>,
): TopicMismatch[] {
  return wanted.flatMap((topic) => {
    const found = existing.get(topic.name);
    return found === undefined ? [] : judgeTopic(topic, found);
  });
}

const NOTHING_THERE: TopicLogs = { isEmpty: true, isWhole: true };

async function logsOf(brokers: Brokers, topics: readonly string[]): Promise<Map<string, TopicLogs>> {
  const bounds = await topicBounds({ brokers, clientId: 'touchline-admin' }, [...new Set(topics)]);
  return new Map(
    [...Map.groupBy(bounds, ({ topic }) => topic)].map(([topic, of]) => [
      topic,
      { isEmpty: of.every(({ end }) => end === 0), isWhole: of.every(({ start }) => start === 0) },
    ]),
  );
}

/** Returns the partitions of the existing topics of a match, of those that a reader created only with records; undefined without one. */
async function partitionsOfMatches(
  admin: TopicAdmin,
  { brokers, prefix }: TopicsOfPrefix,
): Promise<number | undefined> {
  const existing = await admin.describe(TOPIC_NAMES.map((topic) => topicName(prefix, topic)));
  const isOurs = ({ settings, chosen }: FoundTopic): boolean => settings === null || chosen.size > 0;
  const ours = mostPartitions(prefix, new Map([...existing].filter(([, topic]) => isOurs(topic))));
  if (ours !== undefined) return ours;
  const logs = await logsOf(brokers, [...existing.keys()]);
  return mostPartitions(prefix, new Map([...existing].filter(([name]) => logs.get(name)?.isEmpty === false)));
}

/** Returns how many partitions most of the topics of a match have. */
function mostPartitions(prefix: string, found: ReadonlyMap<string, FoundTopic>): number | undefined {
  const counts = TOPIC_NAMES.filter(isByEvent).flatMap(
    (topic) => found.get(topicName(prefix, topic))?.partitions ?? [],
  );
  const [most] = [...Map.groupBy(counts, (count) => count)].sort(([, a], [, b]) => b.length - a.length);
  return most?.[0];
}

function copyWarnings(
  topics: ReadonlyMap<string, Pick<FoundTopic, 'replicas'>>,
  { replicas: wanted }: Replication,
): string[] {
  const names = [...topics].flatMap(([name, { replicas }]) => (replicas < wanted ? [name] : []));
  if (names.length === 0) return [];
  return [
    `existing topics have fewer copies: ${names.sort().join(', ')}; kafka-reassign-partitions.sh adds some`,
  ];
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
export function deleteTopics(brokers: Brokers, names: readonly string[]): Promise<void> {
  return withAdmin(brokers, TERMINAL_MS, (admin) => deleteAndWait(admin, names));
}

async function deleteAndWait(admin: TopicAdmin, names: readonly string[]): Promise<void> {
  const existing = async (): Promise<string[]> => {
    const topics = await admin.topics();
    return names.filter((name) => topics.has(name));
  };
  let remaining = await existing();
  if (remaining.length === 0) return;
  await admin.deleteTopics(remaining);
  const areGone = async (): Promise<boolean> => {
    remaining = await existing();
    return remaining.length === 0;
  };
  if ((await poll(areGone, { timeoutMs: DELETE_MS, everyMs: POLL_MS })) === true) return;
  throw new Error(`${remaining.join(', ')} still exist after they were deleted`);
}

/** Returns the number of partitions of a topic, named as on the broker; 0 if it is missing. Throws `TopicAdminError`. */
export async function topicPartitions(brokers: Brokers, name: string): Promise<number> {
  return (await withAdmin(brokers, TERMINAL_MS, (admin) => admin.topics())).get(name)?.partitions ?? 0;
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
      : { 'retention.ms': String(spec.retentionMs), 'retention.bytes': '-1' }),
  };
}

/** Returns every required topic, named as on the broker: those of `TOPICS`, positions topics, and that of their ids. */
export function wantedTopics({ prefix, partitions }: Pick<CreateTopicsOptions, 'prefix' | 'partitions'>) {
  const wanted = (name: string, like: TopicName, spec: TopicLimits = TOPICS[like]) => {
    return { name, partitions: (isByEvent(like) && partitions) || TOPICS[like].partitions, spec };
  };
  return [
    ...TOPIC_NAMES.map((topic) => wanted(topicName(prefix, topic), topic)),
    ...PROCESSOR_NAMES.map((processor) =>
      wanted(positionsTopicName(prefix, processor), PROCESSORS[processor].input, POSITIONS),
    ),
    { name: topicIdsName(prefix), partitions: TOPIC_IDS.partitions, spec: TOPIC_IDS },
  ];
}

/** Returns every required topic as it must be: those of a match with as many partitions as most; copies by the number of `brokers`. */
export function requiredTopics(
  prefix: string,
  found: ReadonlyMap<string, FoundTopic>,
  brokers: number,
): WantedTopic[] {
  const replication = replicationFor(brokers, {});
  const partitions = mostPartitions(prefix, found);
  return wantedTopics({ prefix, partitions }).map((topic) => topicConfig(topic, replication));
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
