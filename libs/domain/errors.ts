/** Why the domain rejects a message or a query. */
export type DomainErrorCode =
  /** The message belongs to another event than the match. */
  | 'WRONG_EVENT'
  /** An event part of the message is not a JSON object. */
  | 'UNREADABLE_EVENT'
  /** A query for the state of a match without an applied message. */
  | 'NOTHING_TOLD'
  /** A query for an incident that is not in the match. */
  | 'UNKNOWN_INCIDENT';

/** Thrown by the domain, always before it changes anything. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: DomainErrorCode;

  constructor(code: DomainErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
