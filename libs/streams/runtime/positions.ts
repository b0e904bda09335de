/** The positions of tasks, in a compacted topic, written with the outputs. The newest committed record of a partition counts. */

import { z } from 'zod';
import { parseJson } from '#json/values.ts';
import type { LogBounds, OutputRecord, ProducerIdentity, StreamClient } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import { readRange } from '../read/read-range.ts';

/** Version of the layout of a stream's topics: positions, changelogs, transactional ids. Any other layout is refused. */
const LAYOUT = 4;

/** A changelog, or an output that only this task writes to, at the time of a commit (docs/decisions/0113). */
const logMark = z.object({
  /** Topic id of a changelog, which has the state of the position. Null for outputs. */
  id: z.string().nullable(),
  /** Where a changelog begins: compaction never moves that. Null for outputs, and where an operator accepts any beginning. */
  start: z.number().nullable(),
  /** Lower bound of the end of the log; null when unknown. A changelog that ends before it lost state. */
  end: z.number().nullable(),
  /** Lower bound of the last record's offset; null without one that compaction keeps. Aborted records can hide a lost end. */
  last: z.number().nullable(),
});

export type LogMark = Readonly<z.infer<typeof logMark>>;

/** The committed progress of a task. */
export type Position = {
  /** Offset of the next input record. */
  readonly next: number;
  readonly topicId: string;
  /** Leader epoch of the last input record before `next`; null when unknown. */
  readonly inputEpoch: number | null;
  /** Marks of the changelogs, and of the outputs that only this task writes to, by topic. */
  readonly logs: Readonly<Record<string, LogMark>>;
  readonly producer: ProducerIdentity;
};

/** The JSON value on the topic, with field names as in the other topics. */
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

/** Offsets that the first read covers, from the end of the log; a commit and its marker take two. */
const FIRST_OFFSETS = 16;
const READ_BYTES = 64 * 1024;

/** Returns the name of an application's positions topic on the broker. */
export function positionsTopic(application: string): string {
  return `${application}${SUFFIX}`;
}

/** What a rebuild does not do by itself, in the words of its help, its question, and every advice to run it. */
export const REBUILD_REFUSES = 'refuses to delete what its input no longer has';

/** Returns the command that processes all input again, and what it needs. `application`: prefix and service. */
export function rebuildCommand(application: string): string {
  return (
    `npx touchline rebuild ${serviceOf(application)} --yes (stop its processes before, unless touchline up runs them; ` +
    `it ${REBUILD_REFUSES})`
  );
}

export function serviceOf(application: string): string {
  return application.slice(application.lastIndexOf('.') + 1);
}

export function positionRecord(topic: string, partition: number, position: Position): OutputRecord {
  const value: z.input<typeof stored> = {
    layout: LAYOUT,
    next: position.next,
    topic_id: position.topicId,
    input_epoch: position.inputEpoch,
    logs: { ...position.logs },
    producer_id: position.producer.id,
    producer_epoch: position.producer.epoch,
  };
  return { topic, partition, key: String(partition), value: Buffer.from(JSON.stringify(value)) };
}

/** Parses the value of a positions record. Throws `RefusedError` LAYOUT_UNKNOWN. */
export function parsePosition(topic: string, partition: number, value: Buffer): Position {
  const json = parseJson(value.toString());
  const { success, data } = stored.safeParse(json);
  if (!success) {
    const { layout = 'unknown' } = (json ?? {}) as { readonly layout?: unknown };
    const command = rebuildCommand(topic.slice(0, -SUFFIX.length));
    throw new RefusedError(
      'LAYOUT_UNKNOWN',
      `${topic}-${partition} was written by another version of Touchline (layout ${layout}, this one knows ${LAYOUT})`,
      { partition, of: () => `run that version, or process all input again with ${command}` },
    );
  }
  const { next, topic_id: topicId, input_epoch: inputEpoch, logs } = data;
  return { next, topicId, inputEpoch, logs, producer: { id: data.producer_id, epoch: data.producer_epoch } };
}

/** Returns the last committed position of a partition; null without one. Throws `RefusedError` LAYOUT_UNKNOWN. */
export async function findPosition(
  client: StreamClient,
  topic: string,
  partition: number,
  bounds?: LogBounds,
): Promise<Position | null> {
  const [log] = bounds === undefined ? await client.logBounds([{ topic, partition }]) : [bounds];
  if (log === undefined || log.end === log.start) return null;
  // Reads back from the end, as aborted transactions leave records too.
  for (let offsets = FIRST_OFFSETS; ; offsets *= 8) {
    const start = Math.max(log.start, log.end - offsets);
    const range = { topic, partition, start, end: log.end, maxBytes: READ_BYTES };
    let last: Buffer | null = null;
    for await (const { records } of readRange(client, range))
      last = records.findLast(({ value }) => value !== null)?.value ?? last;
    if (last !== null) return parsePosition(topic, partition, last);
    if (start === log.start) return null;
  }
}
