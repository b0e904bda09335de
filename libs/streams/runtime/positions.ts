/**
 * The position of a task is stored in a compacted topic, in the same transaction as its outputs. The newest record of a
 * partition counts; it is searched from the end of the log.
 */

import { z } from 'zod';
import type { Brokers } from '../client/brokers.ts';
import { openStreamClient } from '../client/client.ts';
import type { LogBounds, OutputRecord, ProducerIdentity, StreamClient } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { readRange } from '../read/read-range.ts';

/**
 * The layout of a stream's topics: positions topic, changelogs, transactional ids. A version of Touchline that does not
 * know the layout refuses to start. Layout 1 had neither ends of changelogs nor epochs: nothing is compared with them, and
 * the next commit writes layout 2.
 */
const LAYOUT = 2;
const KNOWN_LAYOUTS: readonly number[] = [1, LAYOUT];

/** The progress of a task. */
export type Position = {
  /** Offset of the next input record. */
  readonly next: number;
  /** The id of the input topic that `next` is an offset of. */
  readonly topicId: string;
  /** The leader epoch in which the input before `next` was written at the latest; null where it is unknown. */
  readonly inputEpoch: number | null;
  /** The ids of the changelogs with the state of this position, by name. */
  readonly changelogIds: Readonly<Record<string, string>>;
  /** Where the changelogs ended with this commit at least, by name: one that ends before it lost state. */
  readonly changelogEnds: Readonly<Record<string, number>>;
  /**
   * The offset of the last record in each of them as of this commit, at least, by name; without those that end with a tombstone,
   * which compaction removes. An aborted transaction can make up for a lost end, and never for this record.
   */
  readonly changelogLasts: Readonly<Record<string, number>>;
  /**
   * Where the outputs that only this task writes to ended with this commit, by name: what is committed behind is of a commit
   * that this position does not know (docs/decisions/0150).
   */
  readonly outputEnds: Readonly<Record<string, number>>;
  /** The offset of the last record in each of them, by name; without those that end with a tombstone. */
  readonly outputLasts: Readonly<Record<string, number>>;
  /** The producer that wrote it. */
  readonly producer: ProducerIdentity;
};

/** JSON on the topic; fields named as in the other topics. */
const stored = z.object({
  layout: z.number(),
  next: z.number(),
  topic_id: z.string(),
  /** Missing in records of an earlier version: then not compared. */
  changelog_ids: z.record(z.string(), z.string()).default({}),
  /** Missing in layout 1. */
  input_epoch: z.number().nullable().default(null),
  changelog_ends: z.record(z.string(), z.number()).default({}),
  /** Missing in records of an earlier version: then not compared. */
  changelog_lasts: z.record(z.string(), z.number()).default({}),
  /** Missing in records of an earlier version: then not compared. */
  output_ends: z.record(z.string(), z.number()).default({}),
  output_lasts: z.record(z.string(), z.number()).default({}),
  producer_id: z.string(),
  producer_epoch: z.number(),
});

const SUFFIX = '-positions';

/** How far from the end of the log the search begins: a commit and its marker take two offsets. */
const FIRST_LOOK = 16;
const LOOK_BYTES = 64 * 1024;

/** The positions topic of an application, by its name on the broker. */
export function positionsTopic(application: string): string {
  return `${application}${SUFFIX}`;
}

/** The command that processes all input again. `application` is prefix and service. */
export function rebuildCommand(application: string): string {
  return `npx touchline rebuild ${serviceOf(application)}`;
}

/** The service of an application, as in commands. */
export function serviceOf(application: string): string {
  return application.slice(application.lastIndexOf('.') + 1);
}

/** The record that commits a position in a transaction. */
export function positionRecord(topic: string, partition: number, position: Position): OutputRecord {
  const {
    next,
    topicId,
    inputEpoch,
    changelogIds,
    changelogEnds,
    changelogLasts,
    outputEnds,
    outputLasts,
    producer,
  } = position;
  const value: z.input<typeof stored> = {
    layout: LAYOUT,
    next,
    topic_id: topicId,
    input_epoch: inputEpoch,
    changelog_ids: changelogIds,
    changelog_ends: changelogEnds,
    changelog_lasts: changelogLasts,
    output_ends: outputEnds,
    output_lasts: outputLasts,
    producer_id: producer.id,
    producer_epoch: producer.epoch,
  };
  return { topic, partition, key: String(partition), value: Buffer.from(JSON.stringify(value)) };
}

/** A record of a positions topic. Throws `RefusedError` LAYOUT_UNKNOWN. */
export function parsePosition(topic: string, partition: number, value: Buffer): Position {
  const parsed = stored.safeParse(parseJson(value));
  if (!parsed.success || !KNOWN_LAYOUTS.includes(parsed.data.layout)) {
    throw new RefusedError(
      'LAYOUT_UNKNOWN',
      `${topic}-${partition} was written by another version of Touchline (layout ${parsed.data?.layout ?? 'unknown'}, this one ` +
        `knows ${KNOWN_LAYOUTS.join(' and ')}): run that version, or process all input again with ${rebuildCommand(topic.slice(0, -SUFFIX.length))}`,
    );
  }
  const { data } = parsed;
  return {
    next: data.next,
    topicId: data.topic_id,
    inputEpoch: data.input_epoch,
    changelogIds: data.changelog_ids,
    changelogEnds: data.changelog_ends,
    changelogLasts: data.changelog_lasts,
    outputEnds: data.output_ends,
    outputLasts: data.output_lasts,
    producer: { id: data.producer_id, epoch: data.producer_epoch },
  };
}

/**
 * The last committed position of a partition, null without one. Reads from the end of the log, further back while
 * nothing is found: aborted transactions leave records too.
 */
export async function findPosition(
  client: StreamClient,
  topic: string,
  partition: number,
  bounds?: LogBounds,
): Promise<Position | null> {
  const [log] = bounds === undefined ? await client.logBounds([{ topic, partition }]) : [bounds];
  if (log === undefined || log.end === log.start) return null;
  for (let look = FIRST_LOOK; ; look *= 8) {
    const start = Math.max(log.start, log.end - look);
    let last: Buffer | null = null;
    for await (const { records } of readRange(client, {
      topic,
      partition,
      start,
      end: log.end,
      maxBytes: LOOK_BYTES,
    }))
      last = records.findLast(({ value }) => value !== null)?.value ?? last;
    if (last !== null) return parsePosition(topic, partition, last);
    if (start === log.start) return null;
  }
}

/**
 * The committed positions of an application, by input partition; without partitions that have none. For tools and tests:
 * a task reads its own after fencing. Rejects with `StreamError`, `RefusedError`.
 */
export async function readPositions(options: {
  readonly brokers: Brokers;
  readonly application: string;
  readonly log: Logger;
}): Promise<Map<number, number>> {
  const { brokers, application, log } = options;
  const client = openStreamClient({ brokers, clientId: 'touchline-positions', log });
  const topic = positionsTopic(application);
  try {
    const partitions = Array.from(
      { length: await client.partitionCount(topic) },
      (_, partition) => partition,
    );
    const bounds = await client.logBounds(partitions.map((partition) => ({ topic, partition })));
    const found = await Promise.all(
      partitions.map(async (partition) => {
        const position = await findPosition(client, topic, partition, bounds[partition]);
        return position === null ? [] : [[partition, position.next] as const];
      }),
    );
    return new Map(found.flat());
  } finally {
    await client.close();
  }
}

function parseJson(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString());
  } catch {
    return null;
  }
}
