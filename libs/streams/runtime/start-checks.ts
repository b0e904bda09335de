/** Checks at a claim whether processing would lose or repeat records. Each refusal names the command that resolves it. */

import type { EpochEnd, LogBounds, TopicPartition } from '../client/port.ts';
import { RefusedError } from '../errors.ts';
import { findOffset } from '../read/read-range.ts';
import { findPosition, type Position, rebuildCommand, serviceOf } from './positions.ts';
import { ownOutputs, type StreamTopics, type TaskContext } from './stream-topics.ts';

/** The stream whose partition is checked. */
type CheckedStream = StreamTopics & Pick<TaskContext, 'client' | 'positions'>;

/** A partition's logs as a claim finds them. */
export type CheckedLogs = {
  /** The last commit; null without one. */
  readonly position: Position | null;
  readonly input: LogBounds;
  /** In the order of the context. */
  readonly changelogs: readonly (TopicPartition & LogBounds & { readonly id: string })[];
  /** Outputs that only this task writes to. */
  readonly outputs: readonly (TopicPartition & LogBounds)[];
};

/** Compares a partition's position with its logs. Rejects with `RefusedError` where continuing would lose or repeat records. */
export async function checkLogs(
  context: CheckedStream,
  partition: number,
  ids: { readonly input: string; readonly changelogs: readonly string[] },
): Promise<CheckedLogs> {
  const { client, input: topic, positions } = context;
  const written = ownOutputs(context);
  const names = [positions, topic, ...context.changelogs, ...written];
  const logs = await client.logBounds(names.map((name) => ({ topic: name, partition })));
  const logOf = (name: string) => logs[names.indexOf(name)] as (typeof logs)[number];
  const input = logOf(topic);
  const changelogs = context.changelogs.map((name, at) => {
    return { ...logOf(name), id: ids.changelogs[at] as string };
  });
  const outputs = written.map(logOf);
  const position = await findPosition(client, positions, partition, logOf(positions));
  if (position === null) {
    // Outputs are searched too: the changelogs may be lost together with the position.
    for (const log of [...changelogs, ...outputs]) await requireNothing(context, log);
    return { position, input, changelogs, outputs };
  }
  const { next, inputEpoch } = position;
  requireChangelogs(context, partition, position, changelogs);
  await Promise.all([...changelogs, ...outputs].map((log) => requireSameCommit(context, position, log)));
  if (inputEpoch !== null && position.topicId === ids.input && next <= input.end) {
    const found = await client.epochEnd({ topic, partition }, inputEpoch);
    requireSameInput(context, partition, { next, inputEpoch }, found);
  }
  requireInput(context, partition, position, ids.input, input);
  return { position, input, changelogs, outputs };
}

/** Returns the offset to continue at. Throws `RefusedError` INPUT_LOST for records that were removed, unless these may be lost. */
export function startOffset(
  context: Pick<TaskContext, 'application' | 'input' | 'onLostInput' | 'metrics' | 'log'>,
  partition: number,
  { position, input: { start } }: Pick<CheckedLogs, 'position' | 'input'>,
): number {
  const { application, input, onLostInput, metrics, log } = context;
  const next = position?.next ?? start;
  if (next >= start) return next;
  const lost = `${input}-${partition} begins at offset ${start}, after the position ${next}: ${start - next} records were removed before they were processed`;
  if (onLostInput === 'stop') {
    const command = positionCommand(application, partition, start);
    const of = () => `continue without them with ${command} or ON_LOST_INPUT=continue`;
    throw new RefusedError('INPUT_LOST', lost, { partition, of });
  }
  metrics.lostRecords.inc({ partition }, start - next);
  log.error({ partition, from: next, to: start, code: 'INPUT_LOST' }, `${lost}, continuing without them`);
  return start;
}

/** Throws `RefusedError` when the input is not the topic of the position, or ends before it. */
export function requireInput(
  { application, input }: Pick<StreamTopics, 'application' | 'input'>,
  partition: number,
  { next, topicId }: Pick<Position, 'next' | 'topicId'>,
  id: string,
  { start, end }: LogBounds,
): void {
  const name = `${input}-${partition}`;
  if (topicId !== id) {
    const command = `npx touchline position ${serviceOf(application)}`;
    throw new RefusedError(
      'INPUT_RECREATED',
      `${name} is not the topic that position ${next} was written for: it was deleted and created again, and has offsets ${start} ` +
        `to ${end}`,
      {
        partition,
        of: (all) =>
          `process all of its records with ${command} ${all} start, or only new ones with ${command} ${all} end --yes`,
      },
    );
  }
  if (next > end)
    throw new RefusedError(
      'POSITION_BEYOND_END',
      `${name} ends at offset ${end}, before the position ${next}: it lost records (truncated, or restored from a backup)`,
      byRebuild(application, partition, {
        before: `continue at its end with ${positionCommand(application, partition, end)}, or `,
      }),
    );
}

/** Throws `RefusedError` when a changelog is another topic, or lacks its first or its last records of the position. */
export function requireChangelogs(
  { application }: Pick<StreamTopics, 'application'>,
  partition: number,
  { next, logs }: Pick<Position, 'next' | 'logs'>,
  changelogs: readonly (LogBounds & { readonly topic: string; readonly id: string })[],
): void {
  for (const { topic, id, start, end } of changelogs) {
    const mark = logs[topic];
    if (mark === undefined) continue;
    // A topic without a record had no state: it may be created again with other partitions.
    if (mark.id !== null && mark.id !== id && mark.end !== 0) {
      throw new RefusedError(
        'CHANGELOG_RECREATED',
        `${topic}-${partition} is not the topic that position ${next} was written with: it was deleted and created again, ` +
          'and the state of that position is lost',
        byRebuild(application, partition),
      );
    }
    if (mark.start !== null && mark.id === id && start > mark.start)
      throw new RefusedError(
        'CHANGELOG_TRUNCATED',
        `${topic}-${partition} begins at offset ${start} and began at ${mark.start} at the position ${next}: its first records were deleted, ` +
          'by retention (cleanup.policy=delete) or by an operator, and with them the state of their keys',
        orKeep(application, partition, next, 'run npx touchline topics, and '),
      );
    if (mark.end !== null && end < mark.end)
      throw changelogTruncated(application, { topic, partition, end }, mark.end, next);
  }
}

/** Throws `RefusedError` when the input lost processed records. `found`: the log's end in their leader epoch; null: not compared. */
export function requireSameInput(
  { application, input }: Pick<StreamTopics, 'application' | 'input'>,
  partition: number,
  { next, inputEpoch }: { readonly next: number; readonly inputEpoch: number },
  found: EpochEnd | null,
): void {
  if (found === null || (found.epoch >= inputEpoch && found.endOffset >= next)) return;
  const { endOffset } = found;
  const [lost, from] =
    endOffset < next
      ? [`${next - endOffset} processed records, from offset ${endOffset} to the position ${next}`, endOffset]
      : [`processed records, written in leader epoch ${inputEpoch} before the position ${next}`, next];
  const command = positionCommand(application, partition, from);
  throw new RefusedError(
    'INPUT_TRUNCATED',
    `${input}-${partition} lost ${lost}, and other records may have their offsets now`,
    byRebuild(application, partition, {
      before: `process the records from offset ${from} on with ${command}, or `,
    }),
  );
}

/** Throws `RefusedError` when a changelog lacks the position's last record. `restored`: its start and the last record read. */
export function requireLastRecord(
  application: string,
  partition: number,
  position: Pick<Position, 'next' | 'logs'>,
  restored: { readonly topic: string; readonly start: number; readonly last: ChangelogRecord | null },
): void {
  const { topic, start, last } = restored;
  const expected = position.logs[topic]?.last ?? null;
  // Retention may have removed the record.
  if (expected === null || expected < start || (last !== null && last.offset >= expected)) return;
  const end = last === null ? start : last.offset + 1;
  throw changelogTruncated(application, { topic, partition, end }, expected + 1, position.next);
}

/** The last committed record of a changelog. */
export type ChangelogRecord = { readonly offset: number; readonly isTombstone: boolean };

/** Returns the refusal of a changelog that ends at `end` and ended at `expected` at the position `next`. */
export function changelogTruncated(
  application: string,
  { topic, partition, end }: TopicPartition & { readonly end: number },
  expected: number,
  next: number,
): RefusedError {
  return new RefusedError(
    'CHANGELOG_TRUNCATED',
    `${topic}-${partition} ends at offset ${end} and had reached ${expected} at the position ${next}: it lost up to ${expected - end} records ` +
      'of state',
    orKeep(application, partition, next),
  );
}

/** Returns the repair that processes all input again, with another one in words before or after it. */
function byRebuild(application: string, partition: number, { before = '', after = '' } = {}) {
  return {
    partition,
    of: () => `${before}process all input again with ${rebuildCommand(application)}${after}`,
  };
}

/** Returns the repair of an incomplete changelog. */
function orKeep(application: string, partition: number, next: number, before = '') {
  const kept = `, or continue with the remaining state with ${positionCommand(application, partition, next)} --accept-state`;
  return byRebuild(application, partition, { before, after: kept });
}

function positionCommand(application: string, partition: number, to: number | '<offset>'): string {
  return `npx touchline position ${serviceOf(application)} ${partition} ${to}`;
}

/** Rejects with `RefusedError` POSITION_MISSING when a log of a partition without a position has a committed value. */
async function requireNothing(
  { application, positions, client }: CheckedStream,
  log: TopicPartition & LogBounds,
): Promise<void> {
  const { topic, partition } = log;
  const offset = await findOffset(client, log, ({ value }) => value !== null);
  if (offset === null) return;
  throw new RefusedError(
    'POSITION_MISSING',
    `${positions}-${partition} has no position, but ${topic}-${partition} has a record at offset ${offset} that was committed with one: ` +
      `${positions} was lost, or another program wrote these topics`,
    byRebuild(application, partition),
  );
}

/** Compares a log of this task alone with the position (docs/decisions/0113). Rejects with POSITION_TRUNCATED, OUTPUT_TRUNCATED. */
export async function requireSameCommit(
  { application, positions, client, changelogs }: Omit<CheckedStream, 'input' | 'outputs'>,
  { next, logs }: Position,
  log: TopicPartition & LogBounds,
): Promise<void> {
  const { topic, partition, start, end } = log;
  const isOutput = !changelogs.includes(topic);
  const mark = logs[topic];
  const last = mark?.last ?? null;
  // Outside these bounds retention removed the record, or the output was created again.
  if (isOutput && last !== null && last >= start && last < end) {
    const first = await findOffset(client, { ...log, start: last }, () => true);
    if (first !== last)
      throw new RefusedError(
        'OUTPUT_TRUNCATED',
        `${topic}-${partition} lacks the record at offset ${last} that was committed with the position ${next}: its readers miss results`,
        byRebuild(application, partition, {
          after: `, or continue without them with ${positionCommand(application, partition, next)}`,
        }),
      );
  }
  const later = await findOffset(client, { ...log, start: Math.max(start, mark?.end ?? end) }, () => true);
  if (later !== null)
    throw new RefusedError(
      'POSITION_TRUNCATED',
      `${positions}-${partition} has lost a position: ${topic}-${partition} has a record at offset ${later} that was committed after the ` +
        `position ${next}, and continuing would write it twice`,
      byRebuild(application, partition, {
        after: `, or continue at another position with ${positionCommand(application, partition, '<offset>')} --accept-state`,
      }),
    );
}
