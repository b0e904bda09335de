/** Copies the topics that a rebuild deletes, with those that explain them, under another prefix. */
import { silentLogger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { findTopics, topicPartitions } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { PROCESSOR_NAMES } from '#topics/processors.ts';
import { isByEvent, type TopicName, topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';
import { REBUILDS } from '../rebuild/derived.ts';
import { copyTopics, prepareTarget, requireWritten } from './target.ts';

const COPIED: readonly TopicName[] = [
  ...PROCESSOR_NAMES.flatMap((processor) => REBUILDS[processor].deleted),
  'standings',
  'provider-standings',
  'catalogue',
];

/**
 * Copies the existing ones of these topics, byte for byte. Returns the number of records. Throws as `prepareTarget`, and `CommandError`
 * when the target does not hold exactly the copied records.
 */
export async function copyInto(
  source: TopicCluster,
  target: OpenCluster,
  options: { readonly replace: boolean; readonly yes: boolean },
): Promise<number> {
  const { brokers, prefix } = source;
  const existing = await findTopics(source);
  const topics = COPIED.filter((topic) => existing.has(topic));
  const one = topics.find(isByEvent);
  const partitions = one && (await topicPartitions(brokers, topicName(prefix, one)));
  await prepareTarget(source, target, { ...options, partitions });
  const publishing = { brokers, clientId: 'touchline-replay', log: silentLogger };
  const counts = await withPublisher(publishing, (publisher) =>
    copyTopics(source, target, publisher, topics),
  );
  await requireWritten(target, counts);
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
