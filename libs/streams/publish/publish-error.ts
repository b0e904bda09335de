/** Why records were not published. */
export type PublishErrorCode =
  /** Not acknowledged in time; they may have been written. */
  | 'TIMEOUT'
  /** Too much waits to be sent; nothing of it was written. */
  | 'QUEUE_FULL'
  /** The broker takes no record of that size. */
  | 'RECORD_TOO_LARGE'
  /** A record has neither key nor partition; nothing was written. */
  | 'NO_PARTITION'
  /** The publisher is closed; nothing of it was written. */
  | 'CLOSED';

/** A failed publish; `cause` is what the broker or the connection said last. */
export class PublishError extends Error {
  readonly code: PublishErrorCode;

  constructor(code: PublishErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PublishError';
    this.code = code;
  }
}
