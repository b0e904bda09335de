/** Finds the latest records that nobody can read. */
import { topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { findTopics } from '#topics/admin.ts';
import { followValues } from '#topics/read-values.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from './cluster.ts';

/** Number of last offsets of each partition that are read: whole topics would take minutes. */
export const LAST_OFFSETS = 200;

/**
 * Returns the records that nobody can read among the last of each partition of all topics, as an operator names them:
 * `touchline.match-state-3, offset 17: why`. Rejects as `followValues`.
 */
export async function findUnreadable(cluster: OpenCluster): Promise<string[]> {
  const { brokers, prefix } = cluster;
  const topics = [...(await findTopics(cluster))];
  const names = topics.map((topic) => topicName(prefix, topic));
  const bounds = await topicBounds({ brokers, clientId: 'touchline-unreadable' }, names);
  const found: string[] = [];
  await followValues(topics, cluster, {
    from: new Map(bounds.map((of) => [partitionKey(of), Math.max(of.start, of.end - LAST_OFFSETS)])),
    untilEnd: true,
    onValues() {},
    onUnreadable: ({ offset, error, ...of }) =>
      found.push(`${partitionKey(of)}, offset ${offset}: ${error.message}`),
  });
  return found.sort();
}
