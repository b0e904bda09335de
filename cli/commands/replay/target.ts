import { topicBounds } from '#cluster/logs.ts';
import { readTopic } from '#cluster/read-topic.ts';
import { FIRST_STANDINGS_ID } from '#domain/standings/body.ts';
import type { Brokers } from '#security/brokers.ts';
import { quiet } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import { createTopics, deleteTopics, findTopics, groupMembers, topicPartitions } from '#topics/admin.ts';
import {
  applicationOf,
  PROCESSOR_NAMES,
  type ProcessorName,
  positionsTopicName,
  streamTopics,
} from '#topics/processors.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { TOPIC_NAMES, type TopicName, topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { setPosition } from '../position/set-position.ts';

/** The processors that a replay replaces and that resume after it. The composer sends none of the replayed messages. */
const CONTINUED = [
  'match-processor',
  'standings-processor',
  'webhook-composer',
] as const satisfies readonly ProcessorName[];

/**
 * Makes the topics of a prefix, those of a match with `partitions` or as many as those of the source, and registers their
 * schemas. With `replace`, deletes what is there before. Throws `CommandError` where it holds records, or its processors run;
 * as libs/topics.
 */
export async function prepareTarget(
  source: TopicCluster,
  target: OpenCluster,
  { replace, partitions: wanted }: { readonly replace: boolean; readonly partitions: number | undefined },
): Promise<void> {
  const { brokers, prefix } = target;
  for (const processor of PROCESSOR_NAMES) {
    const members = await groupMembers(brokers, applicationOf(prefix, processor));
    if (members > 0)
      throw new CommandError(
        `${members} processes of ${processor} run with the prefix ${prefix}: stop them first`,
      );
  }
  if (replace) {
    await deleteTopics(brokers, [
      ...TOPIC_NAMES.map((topic) => topicName(prefix, topic)),
      ...PROCESSOR_NAMES.map((processor) => positionsTopicName(prefix, processor)),
    ]);
  }
  const there = await findTopics({ brokers, prefix });
  for (const topic of there) {
    const used = (await bounds(brokers, topicName(prefix, topic))).some(({ end }) => end > 0);
    if (used) {
      throw new CommandError(
        `${topicName(prefix, topic)} holds records already: name another prefix, or replace it with --replace`,
      );
    }
  }
  const partitions = wanted ?? (await matchPartitions(source));
  await Promise.all([createTopics({ brokers, prefix, partitions }), target.registry.registerAll()]);
}

/** The partitions of the topics of a match. */
export function matchPartitions({ brokers, prefix }: TopicCluster): Promise<number> {
  return topicPartitions(brokers, topicName(prefix, 'normalized-messages'));
}

/** What does not follow from messages. */
const INPUTS = ['catalogue', 'standings', 'standings-catalogue'] as const satisfies readonly TopicName[];
/** What a system that is switched to the target continues with. */
const OPERATIONS = ['clients', 'access-tokens', 'poller-checkpoints'] as const satisfies readonly TopicName[];

/**
 * Copies what does not follow from messages, as it stands now: the catalogue, and the tables that the provider made itself;
 * for a switch, clients, their access tokens and how far the provider was polled, record by record. To be called before the
 * end of the range is looked up: what the poller reads again is harmless, what it left out would be lost. Gives the number of
 * records of each topic, by its name on the broker.
 */
export async function copyInputs(
  source: TopicCluster,
  target: TopicCluster,
  publisher: Publisher,
  forSwitch: boolean,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const publish = async (topic: TopicName, records: readonly Copied[]): Promise<void> => {
    const name = topicName(target.prefix, topic);
    await publisher.publish(records.map((record) => ({ ...record, topic: name })));
    counts.set(name, records.length);
  };
  for (const topic of INPUTS) {
    const latest = new Map((await recordsOf(source, topic)).map((record) => [record.key, record]));
    const kept = [...latest.values()]
      .filter(
        ({ key, value }) => value !== null && (topic === 'catalogue' || Number(key) < FIRST_STANDINGS_ID),
      )
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    await publish(topic, kept);
  }
  // Of two edits with the same version the first counts, so all are copied in order.
  if (forSwitch) for (const topic of OPERATIONS) await publish(topic, await recordsOf(source, topic));
  return counts;
}

type Copied = { readonly key: string; readonly value: Buffer | null };

/** The records of a topic, in the order of each partition. */
async function recordsOf(place: TopicCluster, topic: TopicName): Promise<Copied[]> {
  const records: Copied[] = [];
  await readTopic({
    brokers: place.brokers,
    topic: topicName(place.prefix, topic),
    untilEnd: true,
    onRecord({ key, value }) {
      if (key !== null)
        records.push({ key: key.toString(), value: value === null ? null : Buffer.from(value) });
    },
  });
  return records;
}

/**
 * Checks that the topics hold what was published and nothing else: a record that was written twice, after a request that
 * failed, would shift the offsets that others name. Throws `CommandError`.
 */
export async function requireWritten(
  target: TopicCluster,
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [topic, count] of expected) {
    const ends = await bounds(target.brokers, topic);
    const found = ends.reduce((sum, { end }) => sum + end, 0);
    if (found === count) continue;
    throw new CommandError(
      `${topic} holds ${found} records, ${count} were published: something else writes to it, or a request was written twice; replay again`,
    );
  }
}

/** Sets the positions of the processors to the end of the replay, so that they resume there. */
export async function setPositions(target: TopicCluster): Promise<void> {
  const { brokers, prefix } = target;
  for (const processor of CONTINUED) {
    const topics = streamTopics(prefix, processor);
    await Promise.all(
      (await bounds(brokers, topics.input)).map(({ partition }) =>
        setPosition(topics, { brokers, partition, to: 'end', log: quiet }),
      ),
    );
  }
}

function bounds(brokers: Brokers, topic: string): ReturnType<typeof topicBounds> {
  return topicBounds({ brokers, clientId: 'touchline-replay' }, [topic]);
}
