/** Why a message or a question cannot be answered. */
export type DomainErrorCode =
  /** The message belongs to another event than the match. */
  | 'WRONG_EVENT'
  /** An event part of the message is not a JSON object. */
  | 'UNREADABLE_EVENT'
  /** Asked for the state of a match nothing was told about. */
  | 'NOTHING_TOLD'
  /** Asked for an incident the match has never heard of. */
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
