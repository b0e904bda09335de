/** Why records were not published. */
export type PublishErrorCode =
  /** Not acknowledged in time; they may have been written. */
  | 'TIMEOUT'
  /** The queue is full; none of them was written. */
  | 'QUEUE_FULL'
  /** The broker rejects records of that size. */
  | 'RECORD_TOO_LARGE'
  /** A record has neither key nor partition; none was written. */
  | 'NO_PARTITION'
  /** The publisher is closed; none was written. */
  | 'CLOSED';

/** A failed publish; `cause` is the last error of the broker or the connection. */
export class PublishError extends Error {
  readonly code: PublishErrorCode;

  constructor(code: PublishErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PublishError';
    this.code = code;
  }
}
