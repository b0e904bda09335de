import type { PoisonError } from '#errors/touchline-error.ts';
import type { ConsumedRecord } from '../client/port.ts';
import type { RecordCollector } from './processor.ts';
import type { RecordWatch } from './record-watch.ts';

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
