/** Whether the logs that a task alone writes to are those of the commit that wrote its position (docs/decisions/0113). */

import type { LogBounds, TopicPartition } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import { findRecord, type RecordPosition } from '../read/read-range.ts';
import { type Position, rebuildCommand, serviceOf } from './positions.ts';
import type { TaskContext } from './task-context.ts';

type Checked = Pick<TaskContext, 'application' | 'positions' | 'client'>;

/**
 * Rejects with `RefusedError`: POSITION_TRUNCATED for a committed record behind where the position says that a log ended, OUTPUT_TRUNCATED for
 * an output without its last record.
 */
export async function requireSameCommit(
  context: Checked,
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
  { application, positions }: Checked,
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
  { application }: Checked,
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
