/** State in memory that outlives a failed claim (docs/decisions/0050). */
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
  /** Records that it sends to dead letters. */
  readonly letters: { readonly record: ConsumedRecord; readonly error: PoisonError }[];
  /** Null where nobody wants to know of single records. */
  readonly watch: RecordWatch | null;
};

/** Offset of the next input record, and the leader epoch of the input before it; null where it is unknown. */
export type InputPosition = { readonly next: number; readonly inputEpoch: number | null };

/** A transaction whose outcome is unknown: its records are in the state in memory. */
export type PendingCommit = {
  readonly draft: TransactionDraft;
  readonly range: TransactionRange;
  readonly reached: InputPosition;
  /** Who sent it. */
  readonly producer: ProducerIdentity;
};

/** A processor whose state is that of the last commit, and of the pending one where there is one. */
export type KeptState = {
  readonly processor: PartitionProcessor;
  /** The last commit. */
  readonly committed: { readonly producer: ProducerIdentity; readonly next: number };
  readonly topicId: string;
  /** The logs of the task with it. */
  readonly logs: Position['logs'];
  readonly pending: PendingCommit | null;
};

/** What a claim found. */
type Found = Pick<Claimed, 'topicId' | 'changelogs'> & { readonly position: Position };

/** That nobody else has written since: what became of the pending commit, and the last record of each changelog. */
export type Proof = {
  readonly isCommitted: boolean;
  readonly changelogLasts: Map<string, number>;
};

const LOOK_BYTES = 64 * 1024;

/**
 * Proves that the log holds what the kept state was made of and nothing else: the position is of the same producer, epoch and
 * offset, the topics are the same, and each changelog has its last known record at its offset and nothing committed
 * behind it but the pending commit. Null where that is not so, or cannot be known: then the state is restored.
 */
export async function prove(client: StreamClient, kept: KeptState, found: Found): Promise<Proof | null> {
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
      // Empty, or its last record deletes, which compaction may have removed.
      if (end !== mark.end) return null;
      continue;
    }
    const coming = isCommitted ? recordsOf(kept.pending?.draft.collector.records ?? [], log) : 0;
    const newest = await lastAfter(client, { ...log, start: last, end }, coming + 1);
    if (newest === null) return null;
    if (!newest.isTombstone) changelogLasts.set(topic, newest.offset);
  }
  return { isCommitted, changelogLasts };
}

function isOf(position: Position, producer: ProducerIdentity | undefined, next: number | undefined): boolean {
  const { id, epoch } = position.producer;
  return id === producer?.id && epoch === producer.epoch && position.next === next;
}

function recordsOf(records: readonly OutputRecord[], of: TopicPartition): number {
  return records.filter(({ topic, partition }) => topic === of.topic && partition === of.partition).length;
}

/** The last committed record of a range that begins with one and has `count` of them; null where it is another one. */
async function lastAfter(
  client: StreamClient,
  { topic, partition, start, end }: TopicPartition & LogBounds,
  count: number,
): Promise<ChangelogRecord | null> {
  let first: number | null = null;
  let read = 0;
  let last: ChangelogRecord | null = null;
  for await (const { records } of readRange(client, { topic, partition, start, end, maxBytes: LOOK_BYTES })) {
    first ??= records[0]?.offset ?? null;
    read += records.length;
    const newest = records.at(-1);
    if (newest !== undefined) last = { offset: newest.offset, isTombstone: newest.value === null };
  }
  return first === start && read === count ? last : null;
}
