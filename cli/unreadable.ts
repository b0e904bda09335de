/** Finds the latest records that nobody can read. */
import { topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { findTopics } from '#topics/admin.ts';
import { followValues, type ValueBatch } from '#topics/read-values.ts';
import type { UnreadableRecord } from '#topics/readable.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { OpenCluster } from './cluster.ts';

/** Number of last offsets of each partition that are read: whole topics would take minutes. */
export const LAST_OFFSETS = 200;

/**
 * Returns the records that nobody can read among the last of each partition of all topics, and passes the others to `onValues`. Rejects
 * as `followValues`.
 */
export async function findUnreadable(
  cluster: OpenCluster,
  onValues: (batch: ValueBatch<TopicName>) => void = () => {},
): Promise<UnreadableRecord[]> {
  const { brokers, prefix } = cluster;
  const topics = [...(await findTopics(cluster))];
  const names = topics.map((topic) => topicName(prefix, topic));
  const bounds = await topicBounds({ brokers, clientId: 'touchline-unreadable' }, names);
  const found: UnreadableRecord[] = [];
  await followValues(topics, cluster, {
    from: new Map(bounds.map((of) => [partitionKey(of), Math.max(of.start, of.end - LAST_OFFSETS)])),
    untilEnd: true,
    onValues,
    onUnreadable: (record) => found.push(record),
  });
  return found.sort((a, b) => (unreadableText(a) < unreadableText(b) ? -1 : 1));
}

/** Returns a record as an operator names it: `touchline.match-state-3, offset 17: why`. */
export function unreadableText({ offset, error, ...of }: UnreadableRecord): string {
  return `${partitionKey(of)}, offset ${offset}: ${error.message}`;
}
