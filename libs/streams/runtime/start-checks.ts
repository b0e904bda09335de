/** Checks whether and where processing a partition may begin: refuses to lose or repeat records, and names the remedy. */

import type { EpochEnd, LogBounds, StreamClient, TopicPartition } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import { findRecord, type RecordPosition } from '../read/read-range.ts';
import { type Position, rebuildCommand, serviceOf } from './positions.ts';
import type { TaskContext } from './task-context.ts';

type Checked = Pick<TaskContext, 'application' | 'input' | 'positions' | 'onLostInput' | 'metrics' | 'log'>;

/**
 * Where to begin, by the position, null without one. Throws `RefusedError` where the input is not the one of the
 * position, or lacks records that were not processed.
 */
export function startOffset(
  { application, input, onLostInput, metrics, log }: Checked,
  partition: number,
  found: { readonly position: Position | null; readonly topicId: string; readonly input: LogBounds },
): number {
  const { position, topicId } = found;
  const { start, end } = found.input;
  if (position === null) return start;
  const { next } = position;
  const name = `${input}-${partition}`;
  const service = serviceOf(application);
  if (position.topicId !== topicId) {
    throw new RefusedError(
      'INPUT_RECREATED',
      `${name} is not the topic that position ${next} was written for: it was deleted and created again, and has offsets ${start} ` +
        `to ${end}; process all that it holds with ${rebuildCommand(application)}, or only what comes with ` +
        `npx touchline position ${service} ${partition} end --yes`,
    );
  }
  if (next > end) {
    throw new RefusedError(
      'POSITION_BEYOND_END',
      `${name} ends at offset ${end}, before the position ${next}: it lost records (truncated, or restored from a backup); go on ` +
        `from its end with npx touchline position ${service} ${partition} ${end}, or process all again with ${rebuildCommand(application)}`,
    );
  }
  if (next >= start) return next;
  const lost = `${name} begins at offset ${start}, after the position ${next}: ${start - next} records were removed before they were processed`;
  if (onLostInput === 'stop') {
    throw new RefusedError(
      'INPUT_LOST',
      `${lost}; go on without them with npx touchline position ${service} ${partition} ${start} or ON_LOST_INPUT=continue`,
    );
  }
  metrics.lostRecords.inc({ partition }, start - next);
  log.error({ partition, from: next, to: start, code: 'INPUT_LOST' }, `${lost}, going on without them`);
  return start;
}

/**
 * Throws `RefusedError` where a changelog is not the one that the position was written with, since the state of the position
 * was in that one, or ends before what was committed with it.
 */
export function requireChangelogs(
  application: string,
  partition: number,
  { next, logs }: Pick<Position, 'next' | 'logs'>,
  changelogs: readonly { readonly topic: string; readonly id: string; readonly end: number }[],
): void {
  for (const { topic, id, end } of changelogs) {
    const known = logs[topic];
    if (known === undefined) continue;
    if (known.id !== null && known.id !== id) {
      throw new RefusedError(
        'CHANGELOG_RECREATED',
        `${topic}-${partition} is not the topic that position ${next} was written with: it was deleted and created again, ` +
          `and the state of that position went with it; process all input again with ${rebuildCommand(application)}`,
      );
    }
    if (known.end !== null && end < known.end)
      throw changelogTruncated(application, { topic, partition, end }, known.end, next);
  }
}

/**
 * Throws `RefusedError` where the input has lost records that were processed: its log ends, for the epoch in which they were
 * written, before the position, or knows nothing of that epoch. `found` is null where nothing is known to compare.
 */
export function requireSameInput(
  { application, input }: Pick<Checked, 'application' | 'input'>,
  partition: number,
  { next, inputEpoch }: { readonly next: number; readonly inputEpoch: number },
  found: EpochEnd | null,
): void {
  if (found === null || (found.epoch >= inputEpoch && found.endOffset >= next)) return;
  const { endOffset } = found;
  const [lost, from] =
    endOffset < next
      ? [
          `${next - endOffset} records that were processed: what was read from offset ${endOffset} to`,
          endOffset,
        ]
      : [`records that were processed: what was read in leader epoch ${inputEpoch}, before`, next];
  throw new RefusedError(
    'INPUT_TRUNCATED',
    `${input}-${partition} lost ${lost} the position ${next} is gone, and others may have its offsets; process those with ` +
      `npx touchline position ${serviceOf(application)} ${partition} ${from}, or process all that the input holds with ${rebuildCommand(application)}`,
  );
}

/**
 * Throws `RefusedError` where a changelog lacks the last record that was committed with the position. `restored` is what was read
 * of it. Its end alone does not say so: what an aborted transaction wrote since takes offsets too.
 */
export function requireLastRecord(
  application: string,
  partition: number,
  position: Pick<Position, 'next' | 'logs'>,
  restored: { readonly topic: string; readonly start: number; readonly last: ChangelogRecord | null },
): void {
  const { topic, start, last } = restored;
  const known = position.logs[topic]?.last ?? null;
  // Retention may have removed it.
  if (known === null || known < start || (last !== null && last.offset >= known)) return;
  const end = last === null ? start : last.offset + 1;
  throw changelogTruncated(application, { topic, partition, end }, known + 1, position.next);
}

/** The last committed record of a changelog. */
export type ChangelogRecord = { readonly offset: number; readonly isTombstone: boolean };

/** The refusal of a changelog that ends at `end`, where it had reached `known` at the position `next`. */
export function changelogTruncated(
  application: string,
  { topic, partition, end }: TopicPartition & { readonly end: number },
  known: number,
  next: number,
): RefusedError {
  return new RefusedError(
    'CHANGELOG_TRUNCATED',
    `${topic}-${partition} ends at offset ${end} and had reached ${known} at the position ${next}: it lost up to ${known - end} records ` +
      `of state; process all input again with ${rebuildCommand(application)}, or go on with the state that is left with ` +
      `npx touchline position ${serviceOf(application)} ${partition} ${next} --accept-state`,
  );
}

/** The refusal of a partition with state or outputs but without a position; names a record of these. */
export function positionMissing(
  { application, positions }: Checked,
  { topic, partition, offset }: RecordPosition,
): RefusedError {
  return new RefusedError(
    'POSITION_MISSING',
    `${positions}-${partition} has no position, but what was committed with one is there (${topic}-${partition}, offset ${offset}): ` +
      `these are topics of an earlier version, or ${positions} was lost; process all input again with ${rebuildCommand(application)}`,
  );
}

/** A committed record with a value in any of these partitions; null where there is none. */
export async function findValue(
  client: StreamClient,
  logs: readonly (TopicPartition & LogBounds)[],
): Promise<RecordPosition | null> {
  for (const log of logs) {
    const found = await findRecord(client, log, ({ value }) => value !== null);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Rejects with `RefusedError` where a log that a task alone writes to is not as the commit that wrote the position left it
 * (docs/decisions/0113): POSITION_TRUNCATED for a committed record behind where the position says that a log ended, OUTPUT_TRUNCATED for
 * an output without its last record.
 */
export async function requireSameCommit(
  context: Pick<TaskContext, 'application' | 'positions' | 'client'>,
  position: Position,
  logs: readonly (TopicPartition & LogBounds & { readonly isOutput: boolean })[],
): Promise<void> {
  await Promise.all(
    logs.map(async (log) => {
      const { topic, start, end, isOutput } = log;
      const mark = position.logs[topic];
      const last = mark?.last ?? null;
      // Retention may have removed it, or the output is another topic.
      if (isOutput && last !== null && last >= start && last < end) {
        const first = await findRecord(context.client, { ...log, start: last }, () => true);
        if (first?.offset !== last) throw outputTruncated(context, position, { ...log, offset: last });
      }
      const known = mark?.end ?? end;
      const behind = await findRecord(context.client, { ...log, start: Math.max(start, known) }, () => true);
      if (behind !== null) throw positionTruncated(context, position, behind);
    }),
  );
}

function positionTruncated(
  { application, positions }: Pick<TaskContext, 'application' | 'positions'>,
  { next }: Position,
  { topic, partition, offset }: RecordPosition,
): RefusedError {
  return new RefusedError(
    'POSITION_TRUNCATED',
    `${positions}-${partition} has lost a position: ${topic}-${partition} has a record at offset ${offset} that was committed after the ` +
      `position ${next}, and going on would write it twice; process all input again with ${rebuildCommand(application)}, or go on ` +
      `from another position with npx touchline position ${serviceOf(application)} ${partition} <offset> --accept-state`,
  );
}

function outputTruncated(
  { application }: Pick<TaskContext, 'application' | 'positions'>,
  { next }: Position,
  { topic, partition, offset }: RecordPosition,
): RefusedError {
  return new RefusedError(
    'OUTPUT_TRUNCATED',
    `${topic}-${partition} lacks the record at offset ${offset} that was committed with the position ${next}: its readers miss results; ` +
      `process all input again with ${rebuildCommand(application)}, or go on without them with ` +
      `npx touchline position ${serviceOf(application)} ${partition} ${next}`,
  );
}
