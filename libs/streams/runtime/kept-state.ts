/** State in memory that the next claim may reuse after a failure (docs/decisions/0050). */
import type { PoisonError } from '#errors/touchline-error.ts';
import type {
  ConsumedRecord,
  LogBounds,
  OutputRecord,
  ProducerIdentity,
  StreamClient,
  TopicPartition,
} from '../client/port.ts';
import { readRange } from '../read/read-range.ts';
import type { Claimed } from './claim.ts';
import type { Position } from './positions.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { RecordWatch } from './record-watch.ts';
import type { ChangelogRecord } from './start-checks.ts';
import type { TransactionRange } from './suspects.ts';

/** A transaction in preparation. */
export type TransactionDraft = {
  readonly collector: RecordCollector;
  /** Input records that become dead letters. */
  readonly letters: { readonly record: ConsumedRecord; readonly error: PoisonError }[];
  /** Null while neither debug lines nor traces are on. */
  readonly watch: RecordWatch | null;
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
  /** The last commit. */
  readonly committed: { readonly producer: ProducerIdentity; readonly next: number };
  readonly topicId: string;
  /** The log marks of the last commit. */
  readonly logs: Position['logs'];
  readonly pending: PendingCommit | null;
};

type KeptStateProof = {
  /** Whether the pending commit succeeded. */
  readonly isCommitted: boolean;
  /** Offsets of the last record of each changelog, by name; without those that end with a tombstone. */
  readonly changelogLasts: Map<string, number>;
};

const READ_BYTES = 64 * 1024;

/**
 * Proves that the kept state is the committed one: the position of the same producer, epoch and offset, the same topics, each
 * changelog with its last known record and after it only the pending commit. Null when it must be restored.
 */
export async function prove(
  client: StreamClient,
  kept: KeptState,
  found: Pick<Claimed, 'topicId' | 'changelogs'> & { readonly position: Position },
): Promise<KeptStateProof | null> {
  const { position, topicId, changelogs } = found;
  const isCommitted = isOf(position, kept.pending?.producer, kept.pending?.reached.next);
  if (!isCommitted && !isOf(position, kept.committed.producer, kept.committed.next)) return null;
  if (kept.topicId !== topicId || position.topicId !== topicId) return null;
  const changelogLasts = new Map<string, number>();
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
    const added = isCommitted ? countIn(log, kept.pending?.draft.collector.records ?? []) : 0;
    const newest = await lastAfter(client, { ...log, start: last, end }, added + 1);
    if (newest === null) return null;
    if (!newest.isTombstone) changelogLasts.set(topic, newest.offset);
  }
  return { isCommitted, changelogLasts };
}

function isOf(position: Position, producer: ProducerIdentity | undefined, next: number | undefined): boolean {
  const { id, epoch } = position.producer;
  return id === producer?.id && epoch === producer.epoch && position.next === next;
}

function countIn(of: TopicPartition, records: readonly OutputRecord[]): number {
  return records.filter(({ topic, partition }) => topic === of.topic && partition === of.partition).length;
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
