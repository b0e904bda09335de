import type { OpenTransaction } from '#kafka-20734/open-transactions.ts';
import type { EpochEnd, FetchedRecord } from '#streams/client/port.ts';
import { ProtocolError } from './protocol-error.ts';

/** A record as it is written. */
export type NewRecord = { readonly key: Buffer | null; readonly value: Buffer | null };

/** A record batch, or the marker that ends a transaction. */
export type LogBatch = {
  readonly base: number;
  readonly records: readonly NewRecord[];
  /** Of a marker; null for records. */
  readonly marker: 'commit' | 'abort' | null;
  /** Null for a writer without a transaction. */
  readonly producer: ProducerEpoch | null;
  /** Sequence number of the first record; -1 without one. */
  readonly sequence: number;
  readonly leaderEpoch: number;
  readonly timestamp: number;
};

export type ProducerEpoch = { readonly id: string; readonly epoch: number };

/** What is known of a producer in a partition. */
type ProducerState = {
  epoch: number;
  /** First sequence number after its last batch, and the last batches. */
  nextSequence: number;
  readonly recent: { readonly sequence: number; readonly base: number; readonly count: number }[];
};

const REMEMBERED_BATCHES = 5;

/** One partition: its batches, transactions, and leader epochs. No time, no network. */
export class PartitionLog {
  start = 0;
  batches: LogBatch[] = [];
  /** Counts what changes it: two equal counts mean the same content. */
  changes = 0;
  /** Where each leader epoch began, ascending. */
  #epochs: { readonly epoch: number; readonly start: number }[] = [{ epoch: 0, start: 0 }];
  /** Of the controller, which never gives an epoch twice, also where the log has lost what was written in it. */
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

  /** A new leader begins at the end of the log. */
  beginEpoch(): void {
    this.#leaderEpoch += 1;
    const epoch = this.#leaderEpoch;
    const last = this.#epochs.at(-1);
    if (last !== undefined && last.start === this.end) this.#epochs.pop();
    this.#epochs.push({ epoch, start: this.end });
  }

  isOpen({ id, epoch }: ProducerEpoch): boolean {
    return this.#open.get(id)?.epoch === epoch;
  }

  openTransactions(): Omit<OpenTransaction, 'topic' | 'partition'>[] {
    return [...this.#open].map(([id, { epoch, start }]) => ({ producer: { id, epoch }, start }));
  }

  /**
   * Appends records of a producer, or answers where they are already. Throws `ProtocolError` for an epoch that is fenced and a
   * sequence number that does not follow.
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

  /** Ends the transaction of a producer. A marker of a former epoch is refused. */
  endTransaction(producer: ProducerEpoch, marker: 'commit' | 'abort', timestamp: number): void {
    const known = this.#producers.get(producer.id);
    if (known !== undefined && producer.epoch < known.epoch)
      throw new ProtocolError('INVALID_PRODUCER_EPOCH');
    const { end: base, leaderEpoch } = this;
    this.#add({ base, records: [], marker, producer, sequence: -1, leaderEpoch, timestamp });
  }

  /** Removes what retention removes: whole batches before an offset. */
  removeBefore(offset: number): void {
    this.changes += 1;
    const kept = this.batches.filter((batch) => batch.base >= offset);
    this.start = Math.max(this.start, Math.min(offset, kept[0]?.base ?? this.end));
    if (kept.length > 0) this.batches = kept;
    this.start = this.batches.length === 0 ? this.start : Math.max(this.start, Math.min(offset, this.end));
  }

  /** Loses its end from an offset on: everything known of it is read from what is left. */
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

  /** Where the log ends for a leader epoch, as the leader answers OffsetForLeaderEpoch; null where it knows none. */
  epochEnd(epoch: number): EpochEnd | null {
    const higher = this.#epochs.find((one) => one.epoch > epoch);
    if (epoch === this.leaderEpoch) return { epoch, endOffset: this.end };
    if (higher === undefined) return null;
    const floor = this.#epochs.findLast((one) => one.epoch <= epoch);
    return { epoch: floor?.epoch ?? epoch, endOffset: higher.start };
  }

  /** Records from an offset on, as a fetch answers them; markers and aborted records are skipped. */
  read(from: number, mostBatches: number): ReadRecords {
    const limit = this.lastStable;
    const records: FetchedRecord[] = [];
    let next = from;
    let epoch: number | null = null;
    let count = 0;
    for (let at = this.#indexOf(from); at < this.batches.length; at += 1) {
      const batch = this.batches[at] as LogBatch;
      if (batch.base >= limit || count >= mostBatches) break;
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

  /** The index of the batch with an offset. */
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
    // Its beginning may have been lost.
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

export type ReadRecords = {
  readonly records: FetchedRecord[];
  readonly next: number;
  /** Of the last batch; null without one. */
  readonly epoch: number | null;
};

/** The offset after a batch. */
export function endOf({ base, records, marker }: LogBatch): number {
  return base + (marker === null ? records.length : 1);
}
