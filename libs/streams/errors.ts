/** Why a stream operation failed, as far as the runtime has to tell them apart. */
export type StreamErrorCode =
  /** Another owner has taken the transactional id, or the broker ended the transaction. */
  | 'FENCED'
  /** The broker did not answer, or not in time. */
  | 'UNAVAILABLE'
  /** A record, or a batch of them, is larger than its topic takes. */
  | 'RECORD_TOO_LARGE'
  /** The position that was asked for is not in the log: before its start, or beyond its end. */
  | 'OFFSET_OUT_OF_RANGE'
  /** A topic has another id than before: it was deleted and created again. */
  | 'TOPIC_RECREATED'
  /** A transaction that the broker answered as committed is still open in a partition. */
  | 'UNDECIDED'
  /** Anything else the broker said no to. */
  | 'REJECTED';

/** A failed stream operation. A failed transaction has an unknown outcome: its producer must not be used again. */
export class StreamError extends Error {
  readonly code: StreamErrorCode;

  constructor(code: StreamErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StreamError';
    this.code = code;
  }
}

/** Why a partition is not processed until an operator has decided. docs/guides/operate.md has what to do for each. */
export type RefusalCode =
  /** A transaction of this partition's producer is open and cannot be decided by its owner. */
  | 'HANGING_TRANSACTION'
  /** The changelogs have records, the positions topic has none: an earlier version's topics, or a lost positions topic. */
  | 'POSITION_MISSING'
  /** The position lies beyond the end of the input. */
  | 'POSITION_BEYOND_END'
  /** Input between the position and the start of the log is gone, and the setting says to stop. */
  | 'INPUT_LOST'
  /** The input topic is another one than the position was written for. */
  | 'INPUT_RECREATED'
  /** A changelog is another topic than the position was written with: the state of before is gone. */
  | 'CHANGELOG_RECREATED'
  /** The position was written by a version of Touchline with another layout of topics. */
  | 'LAYOUT_UNKNOWN'
  /** A topic has another number of partitions than the input, or is missing. */
  | 'PARTITIONS_DIFFER';

/**
 * A partition, or a start, that is refused: going on would lose or repeat records. The message names the topic, the
 * partition, the offsets and the command to run.
 */
export class RefusedError extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.code = code;
  }
}
