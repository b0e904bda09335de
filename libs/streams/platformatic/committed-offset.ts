import { offsetFetchV8 } from '@platformatic/kafka';
import { partitionKey, type TopicPartition } from '../port.ts';
import { Connections } from './connections.ts';
import { toStreamError } from './errors.ts';
import { patiently } from './patiently.ts';

/** What the broker answers where nothing is committed. */
const NONE = -1n;

/**
 * The group's committed next offset, null where there is none. A transaction ends before the group knows its position:
 * only a stable one is taken (KIP-447). Rejects with `StreamError`.
 */
export async function readCommittedOffset(
  brokers: readonly string[],
  clientId: string,
  group: string,
  of: TopicPartition,
): Promise<number | null> {
  const connections = new Connections(brokers, clientId);
  try {
    const { groups } = await patiently(async () =>
      offsetFetchV8.api.async(
        await connections.coordinator('group', group),
        [
          {
            groupId: group,
            memberEpoch: -1,
            topics: [{ name: of.topic, partitionIndexes: [of.partition] }],
          },
        ],
        true,
      ),
    );
    const offset = groups[0]?.topics[0]?.partitions[0]?.committedOffset ?? NONE;
    return offset === NONE ? null : Number(offset);
  } catch (error) {
    throw toStreamError(`read committed offset of ${partitionKey(of)}`, error);
  } finally {
    await connections.close();
  }
}
