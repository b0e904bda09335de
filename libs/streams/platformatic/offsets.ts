import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, FetchIsolationLevels, listOffsetsV7, offsetFetchV8 } from '@platformatic/kafka';
import { Connections } from './connections.ts';
import { toStreamError } from './errors.ts';
import { patiently } from './patiently.ts';

/** Where offsets are asked for. */
type At = { readonly brokers: readonly string[]; readonly clientId: string; readonly topic: string };

/**
 * The first record of a partition that is still there; its end; or the first record that was written at or after a time,
 * Unix milliseconds.
 */
export type OffsetOf = 'earliest' | 'end' | number;

const EARLIEST = -2n;
const END = -1n;
/** What the broker answers where there is no such offset. */
const NONE = -1n;
const NO_REPLICA = -1;
const ANY_EPOCH = -1;
/** Not only a stable one: after a crash of the broker it may call a position unstable for ever (docs/decisions/0005). */
const REQUIRE_STABLE = false;
/** How long no broker may answer. */
const AWAY_MS = 7_000;
const AWAY_PAUSE_MS = 100;

/**
 * Offsets of all partitions of a topic by partition, without those that have none. The end counts what open transactions
 * wrote: a reader of committed records comes to it once they are decided. Rejects with `StreamError`.
 */
export async function listOffsets(at: At, of: OffsetOf): Promise<Map<number, number>> {
  const timestamp = of === 'earliest' ? EARLIEST : of === 'end' ? END : BigInt(of);
  return ask(at, `list offsets of ${at.topic}`, async (connections) => {
    const partitions = new Map<Connection, number[]>();
    for (let partition = 0; partition < (await connections.partitionCount(at.topic)); partition += 1) {
      const leader = await connections.leader({ topic: at.topic, partition });
      partitions.set(leader, [...(partitions.get(leader) ?? []), partition]);
    }
    const answers = await Promise.all(
      [...partitions].map(([leader, ofLeader]) =>
        listOffsetsV7.api.async(leader, NO_REPLICA, FetchIsolationLevels.READ_UNCOMMITTED, [
          {
            name: at.topic,
            partitions: ofLeader.map((partitionIndex) => ({
              partitionIndex,
              currentLeaderEpoch: ANY_EPOCH,
              timestamp,
            })),
          },
        ]),
      ),
    );
    return known(
      answers.flatMap(({ topics }) => topics.flatMap((topic) => topic.partitions)),
      ({ offset }) => offset,
    );
  });
}

/**
 * The group's committed next offsets by partition, without those that have none. A transaction ends before the group
 * knows its position, so that of one which ended a moment ago may be missing. Rejects with `StreamError`.
 */
export async function committedOffsets(
  at: At,
  group: string,
  partitions: readonly number[],
): Promise<Map<number, number>> {
  return ask(at, `read committed offsets of ${at.topic}`, async (connections) => {
    const { groups } = await offsetFetchV8.api.async(
      await connections.coordinator('group', group),
      [
        {
          groupId: group,
          memberEpoch: ANY_EPOCH,
          topics: [{ name: at.topic, partitionIndexes: [...partitions] }],
        },
      ],
      REQUIRE_STABLE,
    );
    return known(
      groups.flatMap(({ topics }) => topics.flatMap((topic) => topic.partitions)),
      ({ committedOffset }) => committedOffset,
    );
  });
}

/** Asks until there is an answer, through a restart of the broker too. Connections are new for each try: they remember who led. */
async function ask<T>(
  { brokers, clientId }: At,
  doing: string,
  question: (connections: Connections) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + AWAY_MS;
  for (;;) {
    const isLast = performance.now() > deadline;
    try {
      return await patiently(async () => {
        const connections = new Connections(brokers, clientId);
        try {
          return await question(connections);
        } finally {
          await connections.close();
        }
      });
    } catch (thrown) {
      const error = toStreamError(doing, thrown);
      if (error.code !== 'UNAVAILABLE' || isLast) throw error;
      await delay(AWAY_PAUSE_MS);
    }
  }
}

function known<P extends { readonly partitionIndex: number }>(
  partitions: readonly P[],
  offsetOf: (partition: P) => bigint,
): Map<number, number> {
  const offsets = partitions.map((one) => [one.partitionIndex, offsetOf(one)] as const);
  return new Map(
    offsets.filter(([, offset]) => offset !== NONE).map(([partition, offset]) => [partition, Number(offset)]),
  );
}
