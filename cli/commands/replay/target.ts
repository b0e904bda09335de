import { topicBounds } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import { silentLogger } from '#streams/log.ts';
import { type Publisher, withPublisher } from '#streams/publish/publisher.ts';
import { followLogs } from '#streams/read/follow.ts';
import {
  createTopics,
  deleteTopics,
  findTopics,
  topicPartitions,
  topicsUnder,
  wantedTopics,
} from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES, type ProcessorName, streamTopics } from '#topics/processors.ts';
import { topicIdsName } from '#topics/topic-ids.ts';
import { isByEvent, type TopicName, topicName } from '#topics/topics.ts';
import { type OpenCluster, requireConfirmed } from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { lossOf, recordCounts, requireNothingRuns, requireStopped } from '../../deletion.ts';
import { setPosition } from '../position/run.ts';
import { REBUILDS } from '../rebuild/losses.ts';
import type { command } from './command.ts';

const CONTINUED = ['match-processor', 'standings-processor'] as const satisfies readonly ProcessorName[];

/** What `prepareTarget` reads of the options of a replay. */
type Replacement = Pick<GivenTo<typeof command>[0], 'replace' | 'yes'>;

/**
 * Creates the topics of the target and registers their schemas; topics of a match get `partitions`. `replace` deletes existing topics
 * first, `yes` when they hold records. Throws `CommandError` when the target is in use, holds records, or belongs to another application.
 */
export async function prepareTarget(
  target: OpenCluster,
  { replace, yes }: Replacement,
  partitions: number,
): Promise<void> {
  const { brokers, prefix } = target;
  await requireStopped(target, PROCESSOR_NAMES);
  await requireNothingRuns(target);
  const existing = await ownTopicsUnder(target);
  const holding = existing.filter((name) => name !== topicIdsName(prefix));
  const counts = await recordCounts(target, holding);
  if (counts.size > 0 && !replace) {
    const names = [...counts.keys()].join(', ');
    throw new CommandError(`${names} hold records already: replace them with --replace`);
  }
  if (counts.size > 0) requireConfirmed(target, yes, lossOf(counts));
  if (replace) await deleteTopics(brokers, existing);
  await Promise.all([createTopics({ brokers, prefix, partitions }), target.registry.registerAll()]);
}

/**
 * Returns the existing topics of a system, named as on the broker. Throws `CommandError` when the prefix also has a topic that
 * Touchline does not know: it is the prefix of another application, whose topics may have the same names as ours.
 */
async function ownTopicsUnder({ brokers, prefix }: TopicCluster): Promise<string[]> {
  const known = new Set(wantedTopics({ prefix }).map(({ name }) => name));
  const existing = await topicsUnder({ brokers, prefix });
  // A system with a longer prefix, such as `touchline.rebuilt.` under `touchline.`, is no other application.
  const ends = wantedTopics({ prefix: '.' }).map(({ name }) => name);
  const isForeign = (name: string) => !ends.some((end) => name.slice(prefix.length).endsWith(end));
  const foreign = existing.filter((name) => !known.has(name) && isForeign(name)).sort();
  if (foreign.length === 0) return existing.filter((name) => known.has(name));
  throw new CommandError(`${prefix} is of another application, with ${foreign.join(', ')}: name another one`);
}

/** Topics that are not derived from messages: the catalogue and the provider's own tables. */
export const INPUTS: readonly TopicName[] = ['catalogue', 'provider-standings'];
/** Topics that a system needs when it is switched to the target. */
export const OPERATIONS: readonly TopicName[] = ['clients', 'access-tokens', 'poller-checkpoints'];

/**
 * Copies the records of topics as they are: keys, values with the ids of their schemas, deletions and partitions. Returns the number
 * of records by topic, named as on the broker.
 */
export async function copyTopics(
  source: TopicCluster,
  target: TopicCluster,
  publisher: Publisher,
  topics: readonly TopicName[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const topic of topics) {
    const name = topicName(target.prefix, topic);
    let count = 0;
    await followLogs({
      brokers: source.brokers,
      topics: [topicName(source.prefix, topic)],
      untilEnd: true,
      async onBatch(batch) {
        const records = batch.flatMap((of) => of.records);
        const copies = records.map(({ partition, key, value }) => ({ topic: name, partition, key, value }));
        await publisher.publish(copies);
        count += copies.length;
      },
    });
    counts.set(name, count);
  }
  return counts;
}

/**
 * Checks that the topics hold exactly the published records. A record that a failed request wrote twice would shift the offsets
 * that causes name. Throws `CommandError`.
 */
export async function requireWritten(
  { brokers }: TopicCluster,
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [topic, count] of expected) {
    const found = (await bounds(brokers, topic)).reduce((sum, { end }) => sum + end, 0);
    if (found !== count)
      throw new CommandError(`${topic} holds ${found} records, ${count} were published: replay again`);
  }
}

/** Sets the positions of the processors to the end of the replay, where they resume. */
export async function setPositions(target: TopicCluster): Promise<void> {
  const { brokers, prefix } = target;
  for (const processor of CONTINUED) {
    const topics = streamTopics(prefix, processor);
    const inputs = await bounds(brokers, topics.input);
    await Promise.all(inputs.map(({ partition }) => setPosition(topics, { brokers, partition, to: 'end' })));
  }
}

function bounds(brokers: Brokers, topic: string): ReturnType<typeof topicBounds> {
  return topicBounds({ brokers, clientId: 'touchline-replay' }, [topic]);
}

const COPIED: readonly TopicName[] = [
  ...PROCESSOR_NAMES.flatMap((processor) => REBUILDS[processor].deleted),
  'standings',
  'provider-standings',
  'catalogue',
];

/**
 * Copies the existing ones of the topics that a rebuild deletes, and of those that explain them, byte for byte. Returns the number of
 * records. Throws as `prepareTarget` and `requireWritten`.
 */
export async function copyInto(
  source: TopicCluster,
  target: OpenCluster,
  options: Replacement,
): Promise<number> {
  const { brokers, prefix } = source;
  const existing = await findTopics(source);
  const topics = COPIED.filter((topic) => existing.has(topic));
  const one = topics.find(isByEvent) ?? 'normalized-messages';
  const partitions = await topicPartitions(brokers, topicName(prefix, one));
  await prepareTarget(target, options, partitions);
  const publishing = { brokers, clientId: 'touchline-replay', log: silentLogger };
  const counts = await withPublisher(publishing, (to) => copyTopics(source, target, to, topics));
  await requireWritten(target, counts);
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
