/** Why a stream operation failed, as far as the runtime has to tell them apart. */
export type StreamErrorCode =
  /** Another owner has taken the transactional id, or the broker ended the transaction. */
  | 'FENCED'
  /** The broker did not answer, or not in time. */
  | 'UNAVAILABLE'
  /** A record is larger than its topic takes. */
  | 'RECORD_TOO_LARGE'
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
