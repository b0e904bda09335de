import type { OpenTransaction } from '#streams/client/platformatic/kafka-20734/undecided-transactions.ts';
import type { EpochEnd, FetchedRecord } from '#streams/client/port.ts';
import { ProtocolError } from './protocol-error.ts';

/** A record to write. */
export type NewRecord = { readonly key: Buffer | null; readonly value: Buffer | null };

/** A record batch, or the marker that ends a transaction. */
type LogBatch = {
  readonly base: number;
  readonly records: readonly NewRecord[];
  /** The outcome of a marker; null for records. */
  readonly marker: 'commit' | 'abort' | null;
  /** Null for a writer without a transaction. */
  readonly producer: ProducerEpoch | null;
  /** Sequence number of the first record; -1 without one. */
  readonly sequence: number;
  readonly leaderEpoch: number;
  readonly timestamp: number;
};

export type ProducerEpoch = { readonly id: string; readonly epoch: number };

/** The state of a producer in a partition. */
type ProducerState = {
  epoch: number;
  nextSequence: number;
  /** The last batches, to detect duplicates. */
  readonly recent: { readonly sequence: number; readonly base: number; readonly count: number }[];
};

const REMEMBERED_BATCHES = 5;

/** The log of a partition, with batches, transactions and leader epochs, but without time and network. */
export class PartitionLog {
  start = 0;
  batches: LogBatch[] = [];
  /** Number of changes: equal numbers mean the same content. */
  changes = 0;
  /** The start of each leader epoch, ascending. */
  #epochs: { readonly epoch: number; readonly start: number }[] = [{ epoch: 0, start: 0 }];
  /** The controller's epoch. It never repeats an epoch, even when the log has lost all records of that epoch. */
  #leaderEpoch = 0;
  /** Open transactions by producer id. */
  #open = new Map<string, { readonly epoch: number; readonly start: number }>();
  #aborted: { readonly id: string; readonly first: number; readonly last: number }[] = [];
  #producers = new Map<string, ProducerState>();

  get end(): number {
    const last = this.batches.at(-1);
    return last === undefined ? this.start : endOf(last);
  }

  /** The first offset of the oldest open transaction, else the end. */
  get lastStable(): number {
    let stable = this.end;
    for (const { start } of this.#open.values()) stable = Math.min(stable, start);
    return stable;
  }

  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  /** Begins the epoch of a new leader at the end of the log. */
  beginEpoch(): void {
    this.#leaderEpoch += 1;
    const epoch = this.#leaderEpoch;
    const last = this.#epochs.at(-1);
    if (last !== undefined && last.start === this.end) this.#epochs.pop();
    this.#epochs.push({ epoch, start: this.end });
  }

  /** Throws when the client's leader epoch differs from the leader's (KIP-320); does not compare -1. */
  requireEpoch(currentEpoch: number): void {
    if (currentEpoch < 0 || currentEpoch === this.leaderEpoch) return;
    throw new ProtocolError(currentEpoch < this.leaderEpoch ? 'FENCED_LEADER_EPOCH' : 'UNKNOWN_LEADER_EPOCH');
  }

  isOpen({ id, epoch }: ProducerEpoch): boolean {
    return this.#open.get(id)?.epoch === epoch;
  }

  openTransactions(): Omit<OpenTransaction, 'topic' | 'partition'>[] {
    return [...this.#open].map(([id, { epoch, start }]) => ({ producer: { id, epoch }, start }));
  }

  /**
   * Appends records and returns their first offset; for a duplicate batch, the offset of the existing one. Throws `ProtocolError` for
   * a fenced epoch or an unexpected sequence number.
   */
  append(
    records: readonly NewRecord[],
    producer: ProducerEpoch | null,
    sequence: number,
    timestamp: number,
  ): number {
    if (producer !== null) {
      const known = this.#producers.get(producer.id);
      if (known !== undefined && producer.epoch < known.epoch)
        throw new ProtocolError('INVALID_PRODUCER_EPOCH');
      if (known !== undefined && producer.epoch === known.epoch) {
        const same = known.recent.find((one) => one.sequence === sequence && one.count === records.length);
        if (same !== undefined) return same.base;
        if (sequence !== known.nextSequence) throw new ProtocolError('OUT_OF_ORDER_SEQUENCE_NUMBER');
      } else if (sequence !== 0 && known !== undefined)
        throw new ProtocolError('OUT_OF_ORDER_SEQUENCE_NUMBER');
    }
    const base = this.end;
    this.#add({ base, records, marker: null, producer, sequence, leaderEpoch: this.leaderEpoch, timestamp });
    return base;
  }

  /** Ends the transaction of a producer. Throws `ProtocolError` for a marker of an earlier epoch. */
  endTransaction(producer: ProducerEpoch, marker: 'commit' | 'abort', timestamp: number): void {
    const known = this.#producers.get(producer.id);
    if (known !== undefined && producer.epoch < known.epoch)
      throw new ProtocolError('INVALID_PRODUCER_EPOCH');
    const { end: base, leaderEpoch } = this;
    this.#add({ base, records: [], marker, producer, sequence: -1, leaderEpoch, timestamp });
  }

  /** Removes whole batches before an offset, like retention. */
  removeBefore(offset: number): void {
    this.changes += 1;
    const kept = this.batches.filter((batch) => batch.base >= offset);
    this.start = Math.max(this.start, Math.min(offset, kept[0]?.base ?? this.end));
    if (kept.length > 0) this.batches = kept;
    this.start = this.batches.length === 0 ? this.start : Math.max(this.start, Math.min(offset, this.end));
  }

  /** Removes the end of the log from an offset on, and rebuilds the state from the remaining batches. */
  truncate(to: number): void {
    this.changes += 1;
    const left = this.batches.filter((batch) => endOf(batch) <= to);
    this.batches = [];
    this.#epochs = this.#epochs.filter(({ start }, at) => at === 0 || start < to);
    this.#open = new Map();
    this.#aborted = [];
    this.#producers = new Map();
    for (const batch of left) this.#add(batch);
  }

  /** Returns the end of the log in a leader epoch, like OffsetForLeaderEpoch; null when the leader knows no such epoch. */
  epochEnd(epoch: number): EpochEnd | null {
    const higher = this.#epochs.find((one) => one.epoch > epoch);
    if (epoch === this.leaderEpoch) return { epoch, endOffset: this.end };
    if (higher === undefined) return null;
    const floor = this.#epochs.findLast((one) => one.epoch <= epoch);
    return { epoch: floor?.epoch ?? epoch, endOffset: higher.start };
  }

  /** Returns the records from an offset on, like a fetch; skips markers and aborted records. */
  read(from: number, maxBatches: number): ReadRecords {
    const limit = this.lastStable;
    const records: FetchedRecord[] = [];
    let next = from;
    let epoch: number | null = null;
    let count = 0;
    for (let at = this.#indexOf(from); at < this.batches.length; at += 1) {
      const batch = this.batches[at] as LogBatch;
      if (batch.base >= limit || count >= maxBatches) break;
      count += 1;
      next = endOf(batch);
      epoch = batch.leaderEpoch;
      if (batch.marker !== null || this.#isAborted(batch)) continue;
      for (let n = Math.max(0, from - batch.base); n < batch.records.length; n += 1) {
        const { key, value } = batch.records[n] as NewRecord;
        records.push({ offset: batch.base + n, key, value, timestamp: batch.timestamp });
      }
    }
    return { records, next, epoch };
  }

  /** Returns the index of the batch that contains an offset. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (endOf(this.batches[middle] as LogBatch) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAborted({ producer, base }: LogBatch): boolean {
    if (producer === null) return false;
    return this.#aborted.some(({ id, first, last }) => id === producer.id && first <= base && base <= last);
  }

  #add(batch: LogBatch): void {
    this.changes += 1;
    this.batches.push(batch);
    const { producer, marker, base, sequence, records, leaderEpoch } = batch;
    // The first records of the epoch may be lost.
    if ((this.#epochs.at(-1)?.epoch ?? -1) < leaderEpoch)
      this.#epochs.push({ epoch: leaderEpoch, start: base });
    if (producer === null) return;
    let known = this.#producers.get(producer.id);
    if (known === undefined || known.epoch !== producer.epoch) {
      known = { epoch: producer.epoch, nextSequence: 0, recent: [] };
      this.#producers.set(producer.id, known);
    }
    if (marker === null) {
      known.nextSequence = sequence + records.length;
      known.recent.push({ sequence, base, count: records.length });
      if (known.recent.length > REMEMBERED_BATCHES) known.recent.shift();
      if (!this.#open.has(producer.id)) this.#open.set(producer.id, { epoch: producer.epoch, start: base });
      return;
    }
    const open = this.#open.get(producer.id);
    if (open === undefined) return;
    this.#open.delete(producer.id);
    if (marker === 'abort') this.#aborted.push({ id: producer.id, first: open.start, last: base });
  }
}

type ReadRecords = {
  readonly records: FetchedRecord[];
  readonly next: number;
  /** Leader epoch of the last batch; null without one. */
  readonly epoch: number | null;
};

/** Returns the offset after a batch. */
export function endOf({ base, records, marker }: LogBatch): number {
  return base + (marker === null ? records.length : 1);
}
