/**
 * The position of a task is stored in a compacted topic, in the same transaction as its outputs. The newest record of a
 * partition counts; it is searched from the end of the log.
 */

import { z } from 'zod';
import type { LogBounds, OutputRecord, ProducerIdentity, StreamClient } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import { readRange } from '../read/read-range.ts';

/**
 * The layout of a stream's topics: positions topic, changelogs, transactional ids. A version of Touchline that does not
 * know the layout refuses to start.
 */
const LAYOUT = 3;

/** A log that a task alone writes to, or a changelog, as of a commit (docs/decisions/0113). */
const logMark = z.object({
  /** The id of a changelog's topic: the state of the position is in that one. Null for outputs. */
  id: z.string().nullable(),
  /** Where it ended, at least: a changelog that ends before lost state; null where that is not known. */
  end: z.number().nullable(),
  /**
   * The offset of its last record, at least; null without one, or where that is a tombstone, which compaction removes. An
   * aborted transaction can make up for a lost end, and never for this record.
   */
  last: z.number().nullable(),
});

export type LogMark = Readonly<z.infer<typeof logMark>>;

/** The progress of a task. */
export type Position = {
  /** Offset of the next input record. */
  readonly next: number;
  /** The id of the input topic that `next` is an offset of. */
  readonly topicId: string;
  /** The leader epoch in which the input before `next` was written at the latest; null where it is unknown. */
  readonly inputEpoch: number | null;
  /** The changelogs, and the outputs that only this task writes to, by name. */
  readonly logs: Readonly<Record<string, LogMark>>;
  /** The producer that wrote it. */
  readonly producer: ProducerIdentity;
};

/** JSON on the topic; fields named as in the other topics. */
const stored = z.object({
  layout: z.literal(LAYOUT),
  next: z.number(),
  topic_id: z.string(),
  input_epoch: z.number().nullable(),
  logs: z.record(z.string(), logMark),
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
  const { next, topicId, inputEpoch, logs, producer } = position;
  const value: z.input<typeof stored> = {
    layout: LAYOUT,
    next,
    topic_id: topicId,
    input_epoch: inputEpoch,
    logs: { ...logs },
    producer_id: producer.id,
    producer_epoch: producer.epoch,
  };
  return { topic, partition, key: String(partition), value: Buffer.from(JSON.stringify(value)) };
}

/** A record of a positions topic. Throws `RefusedError` LAYOUT_UNKNOWN. */
export function parsePosition(topic: string, partition: number, value: Buffer): Position {
  const json = parseJson(value);
  const { success, data } = stored.safeParse(json);
  if (!success) {
    const { layout = 'unknown' } = (json ?? {}) as { readonly layout?: unknown };
    throw new RefusedError(
      'LAYOUT_UNKNOWN',
      `${topic}-${partition} was written by another version of Touchline (layout ${layout}, this one ` +
        `knows ${LAYOUT}): run that version, or process all input again with ${rebuildCommand(topic.slice(0, -SUFFIX.length))}`,
    );
  }
  const { next, topic_id: topicId, input_epoch: inputEpoch, logs } = data;
  return { next, topicId, inputEpoch, logs, producer: { id: data.producer_id, epoch: data.producer_epoch } };
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

function parseJson(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString());
  } catch {
    return null;
  }
}
