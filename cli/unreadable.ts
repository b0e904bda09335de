/** Finds the latest records that nobody can read. */
import { topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow } from '#streams/read/follow.ts';
import { findTopics } from '#topics/admin.ts';
import { readable } from '#topics/readable.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from './cluster.ts';

/** Number of last offsets of each partition that are read: whole topics would take minutes. */
export const LAST_OFFSETS = 200;

/** A record, as an operator names it: `touchline.match-state-3, offset 17: why`. */
export type UnreadableLine = string;

/** Returns the records that nobody can read among the last of each partition of all topics. Rejects as `follow`. */
export async function findUnreadable(cluster: OpenCluster): Promise<UnreadableLine[]> {
  const { brokers, prefix, registry } = cluster;
  const decoders = new Map(
    [...(await findTopics(cluster))].map((name) => [topicName(prefix, name), registry.decoder(name)]),
  );
  const bounds = await topicBounds({ brokers, clientId: 'touchline-unreadable' }, [...decoders.keys()]);
  const found: UnreadableLine[] = [];
  const atEnd = new AbortController();
  await follow({
    brokers,
    topics: [...decoders.keys()],
    from: new Map(bounds.map((of) => [partitionKey(of), Math.max(of.start, of.end - LAST_OFFSETS)])),
    signal: atEnd.signal,
    async onBatch(batch) {
      const decoder = decoders.get(batch.topic);
      if (decoder === undefined) return;
      await readable<unknown, (typeof batch.records)[number]>(
        decoder,
        batch,
        batch.records,
        ({ offset, error }) => found.push(`${partitionKey(batch)}, offset ${offset}: ${error.message}`),
      );
    },
    onCaughtUp: () => atEnd.abort(),
  });
  return found.sort();
}
