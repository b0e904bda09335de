/** State in memory that the next claim may reuse after a failure (docs/decisions/0050). */
import type { PoisonError } from '#errors/touchline-error.ts';
import {
  type ConsumedRecord,
  type LogBounds,
  type ProducerIdentity,
  partitionKey,
  type StreamClient,
  type TopicPartition,
} from '../client/port.ts';
import { readRange } from '../read/read-range.ts';
import type { Position } from './positions.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { RecordWatch } from './record-watch.ts';
import type { ChangelogRecord, CheckedLogs } from './start-checks.ts';
import type { TransactionRange } from './suspects.ts';

export type TransactionDraft = {
  readonly collector: RecordCollector;
  /** Input records that become dead letters. */
  readonly letters: { readonly record: ConsumedRecord; readonly error: PoisonError }[];
  readonly watch: RecordWatch;
};

/** Offset of the next input record, and the leader epoch of the record before it; null when unknown. */
export type InputPosition = { readonly next: number; readonly inputEpoch: number | null };

/** A transaction whose outcome is unknown. The state in memory includes its records. */
export type PendingCommit = {
  readonly draft: TransactionDraft;
  readonly range: TransactionRange;
  readonly reached: InputPosition;
  readonly producer: ProducerIdentity;
};

/** A processor with the state of the last commit, and of the pending one if there is one. */
export type KeptState = {
  readonly processor: PartitionProcessor;
  readonly committed: { readonly producer: ProducerIdentity; readonly next: number };
  readonly topicId: string;
  readonly logs: Position['logs'];
  readonly pending: PendingCommit | null;
};

const READ_BYTES = 64 * 1024;

/**
 * Proves that the kept state is the committed one: the position of the same producer, epoch and offset, the same topics, each
 * changelog with its last known record and after it only the pending commit. Null when it must be restored. `isCommitted`: whether
 * the pending commit succeeded; `lastOffsets`: of the last record of each changelog, without those that end with a tombstone.
 */
export async function prove(
  client: StreamClient,
  kept: KeptState,
  position: Position,
  { topicId, changelogs }: { readonly topicId: string } & Pick<CheckedLogs, 'changelogs'>,
): Promise<{ readonly isCommitted: boolean; readonly lastOffsets: Map<string, number> } | null> {
  const isCommitted = isOf(position, kept.pending?.producer, kept.pending?.reached.next);
  if (!isCommitted && !isOf(position, kept.committed.producer, kept.committed.next)) return null;
  if (kept.topicId !== topicId || position.topicId !== topicId) return null;
  const lastOffsets = new Map<string, number>();
  for (const log of changelogs) {
    const { topic, id, end } = log;
    const mark = kept.logs[topic];
    if (mark === undefined || mark.id !== id) return null;
    const { last } = mark;
    if (last === null) {
      // Empty, or its last record is a tombstone, which compaction may have removed.
      if (end !== mark.end) return null;
      continue;
    }
    const records = (isCommitted && kept.pending?.draft.collector.records) || [];
    const added = records.filter((one) => partitionKey(one) === partitionKey(log));
    const newest = await lastAfter(client, { ...log, start: last }, added.length + 1);
    if (newest === null) return null;
    if (!newest.isTombstone) lastOffsets.set(topic, newest.offset);
  }
  return { isCommitted, lastOffsets };
}

function isOf(position: Position, producer: ProducerIdentity | undefined, next: number | undefined): boolean {
  const { id, epoch } = position.producer;
  return id === producer?.id && epoch === producer.epoch && position.next === next;
}

/** Returns the last committed record of a log range; null unless the range begins with a record and has exactly `count`. */
async function lastAfter(
  client: StreamClient,
  { topic, partition, start, end }: TopicPartition & LogBounds,
  count: number,
): Promise<ChangelogRecord | null> {
  let first: number | null = null;
  let read = 0;
  let last: ChangelogRecord | null = null;
  for await (const { records } of readRange(client, { topic, partition, start, end, maxBytes: READ_BYTES })) {
    first ??= records[0]?.offset ?? null;
    read += records.length;
    const newest = records.at(-1);
    if (newest !== undefined) last = { offset: newest.offset, isTombstone: newest.value === null };
  }
  return first === start && read === count ? last : null;
}
