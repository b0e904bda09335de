/** Finds partitions that a processor refuses, or will refuse, by what its claim would compare. Changes nothing. */
import type { Brokers } from '#security/brokers.ts';
import { partitionsUpTo, type StreamClient } from '#streams/client/port.ts';
import { RefusedError } from '#streams/errors.ts';
import { findPosition, type Position, positionsTopic } from '#streams/runtime/positions.ts';
import { checkLogs } from '#streams/runtime/start-checks.ts';
import { ownOutputs, type StreamTopics } from '#streams/runtime/stream-topics.ts';
import { withStreamClient } from './access.ts';

export type Refusals = {
  /** Topics that do not exist although a position was written with them, named as on the broker. */
  readonly lost: readonly string[];
  /** Partitions that a claim refuses. Empty while a topic is lost. */
  readonly refused: readonly { readonly partition: number; readonly error: RefusedError }[];
};

/** A running processor may commit between two reads: then they are compared again. */
const ATTEMPTS = 5;

/** Compares the positions of a processor with its logs. Rejects with `StreamError`. */
export function findRefusals(brokers: Brokers, topics: StreamTopics): Promise<Refusals> {
  return withStreamClient(brokers, 'touchline-positions', async (client) => {
    const context = { ...topics, client, positions: positionsTopic(topics.application) };
    const { input, positions, changelogs } = context;
    const names = [positions, input, ...changelogs, ...ownOutputs(topics)];
    const ids = await client.topicIds(names);
    const missing = names.filter((name) => !ids.has(name));
    if (missing.length > 0) return { lost: await lostOf(context, missing, ids), refused: [] };
    const counts = await Promise.all(names.map((name) => client.partitionCount(name)));
    // Other numbers of partitions are a finding of their own.
    const refused = await Promise.all(
      partitionsUpTo(input, Math.min(...counts)).map(async ({ partition }) => {
        const error = await refusalOf(context, partition, ids);
        return error === null ? [] : { partition, error };
      }),
    );
    return { lost: [], refused: refused.flat() };
  });
}

type Context = Parameters<typeof checkLogs>[0];

async function refusalOf(
  context: Context,
  partition: number,
  ids: ReadonlyMap<string, string>,
): Promise<RefusedError | null> {
  const { client, positions, input, changelogs } = context;
  const idOf = (topic: string) => ids.get(topic) as string;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    let before: Position | null = null;
    try {
      before = await findPosition(client, positions, partition);
      await checkLogs(context, partition, { input: idOf(input), changelogs: changelogs.map(idOf) });
      return null;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.code === 'LAYOUT_UNKNOWN') return error;
      const after = await findPosition(client, positions, partition);
      if (after?.next === before?.next && after?.producer.epoch === before?.producer.epoch) return error;
    }
  }
  // It commits all the time, so it is not refused.
  return null;
}

/** Returns the missing topics whose records a processor had; a topic that an upgrade adds is none. */
async function lostOf(
  { client, positions, input, changelogs }: Context,
  missing: readonly string[],
  ids: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  if (missing.includes(positions)) {
    const kept = changelogs.filter((topic) => ids.has(topic));
    return (await haveRecords(client, kept)) ? missing : [];
  }
  const partitions = partitionsUpTo(positions, await client.partitionCount(positions));
  const found = await Promise.all(
    partitions.map(({ partition }) => findPosition(client, positions, partition)),
  );
  const known = new Set(
    found.flatMap((position) => (position === null ? [] : [input, ...Object.keys(position.logs)])),
  );
  return missing.filter((topic) => known.has(topic));
}

async function haveRecords(client: StreamClient, topics: readonly string[]): Promise<boolean> {
  for (const topic of topics) {
    const bounds = await client.logBounds(partitionsUpTo(topic, await client.partitionCount(topic)));
    if (bounds.some(({ end }) => end > 0)) return true;
  }
  return false;
}
