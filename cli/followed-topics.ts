/** Topics that a command reads from the beginning, then follows. */

import { topicBounds } from '#cluster/logs.ts';
import type { TopicValues } from '#records/types.ts';
import { partitionKey } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { findTopics } from '#topics/admin.ts';
import { isOfSchema } from '#topics/errors.ts';
import { follow, type OpenTopics, type TopicRecord } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { UnreadableRecord } from '#topics/unreadable.ts';
import type { Now } from '#trading/feed-status.ts';
import type { OpenCluster } from './cluster.ts';
import { CommandError } from './command.ts';

export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

/**
 * Calls `onValue` with the last record of each key that has a value, each partition's in order. Reads twice, with one offset a key in
 * memory: the values of a season would take all of it. Rejects as `follow`.
 */
export async function readEachLatest<T extends TopicName>(
  topic: T,
  source: OpenTopics,
  onValue: (value: TopicValues[T]) => void | Promise<void>,
): Promise<void> {
  const last = new Map<string, number>();
  const keyOf = ({ partition, key }: ReadRecord): string => `${partition}/${key}`;
  await follow([topic], source, {
    untilEnd: true,
    isWanted(record) {
      last.set(keyOf(record), record.offset);
      return false;
    },
  });
  await follow([topic], source, {
    untilEnd: true,
    isWanted: (record) => last.get(keyOf(record)) === record.offset,
    onRecord: ({ value }) => value && onValue(value),
  });
}

/** Number of last offsets of each partition that are read: whole topics would take minutes. */
export const LAST_OFFSETS = 200;

/**
 * Returns the records that nobody can read among the last of each partition of all topics, and passes the others to `onRecord`. Rejects
 * as `follow`.
 */
export async function findUnreadable(
  cluster: OpenCluster,
  onRecord: (record: TopicRecord) => void = () => {},
): Promise<UnreadableRecord[]> {
  const { brokers, prefix } = cluster;
  const topics = [...(await findTopics(cluster))];
  const names = topics.map((topic) => topicName(prefix, topic));
  const bounds = await topicBounds({ brokers, clientId: 'touchline-unreadable' }, names);
  const found: UnreadableRecord[] = [];
  await follow(topics, cluster, {
    from: new Map(bounds.map((of) => [partitionKey(of), Math.max(of.start, of.end - LAST_OFFSETS)])),
    untilEnd: true,
    onRecord,
    onUnreadable: (record) => void found.push(record),
  });
  return found.sort((a, b) => (unreadableText(a) < unreadableText(b) ? -1 : 1));
}

/**
 * Throws `CommandError` when the schema of one of these topics is not registered, and the registry lost those of existing records: to
 * register one would give their ids to others.
 */
export async function requireSchemas(cluster: OpenCluster, topics?: readonly TopicName[]): Promise<void> {
  if ((await cluster.registry.missing(topics)).length === 0) return;
  const lost = (await findUnreadable(cluster)).find(({ error }) => isOfSchema(error));
  if (lost !== undefined)
    throw new CommandError(
      `nobody can read ${unreadableText(lost)}; nothing is registered before the registry has its schemas again: ` +
        'docs/guides/runbooks/registry-lost.md',
    );
}

/** Registers the schemas of all topics. Throws as `requireSchemas` and `Registry.registerAll`. */
export async function registerSchemas(cluster: OpenCluster): Promise<void> {
  await requireSchemas(cluster);
  await cluster.registry.registerAll();
}

/** Returns a record as an operator names it: `touchline.match-state-3, offset 17: why`. */
export function unreadableText({ offset, error, ...of }: UnreadableRecord): string {
  return `${partitionKey(of)}, offset ${offset}: ${error.message}`;
}
