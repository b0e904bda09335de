import type { WebhookMessage } from '#records/types.ts';

/** A message without its bytes. */
export type MessageHead = Pick<WebhookMessage, 'uuid' | 'message_id' | 'event_id' | 'received_at'>;

/** Limits of one request, which has at least one message, however large. */
export type BatchLimits = {
  readonly messages: number;
  /** Size of the body. */
  readonly bytes: number;
};

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** Messages for one request, in order. */
export class MessageBatch {
  readonly #limits: BatchLimits;
  readonly #messages: MessageHead[] = [];
  #parts: Buffer[] = [];
  readonly #traces: string[] = [];
  #bytes = OPEN.length;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get messages(): readonly MessageHead[] {
    return this.#messages;
  }

  /** Traces of its messages, as far as these have one. */
  get traces(): readonly string[] {
    return this.#traces;
  }

  /** Size of the body. */
  get bytes(): number {
    return this.#messages.length === 0 ? OPEN.length + CLOSE.length : this.#bytes;
  }

  /** Adds a message and returns true if there is room; else returns false. */
  add({ message, uuid, message_id, event_id, received_at }: WebhookMessage, trace?: string): boolean {
    const bytes = this.#bytes + message.length + 1;
    const { length } = this.#messages;
    if (length > 0 && (length >= this.#limits.messages || bytes > this.#limits.bytes)) return false;
    this.#messages.push({ uuid, message_id, event_id, received_at });
    this.#parts.push(length === 0 ? OPEN : COMMA, message);
    if (trace !== undefined) this.#traces.push(trace);
    this.#bytes = bytes;
    return true;
  }

  /**
   * Returns the JSON array of all messages, and drops their bytes; call it once. A message is a view of all bytes that
   * were fetched with it, which thousands of pending requests would keep in memory.
   */
  takeBody(): Buffer {
    const parts = this.#parts.length === 0 ? [OPEN] : this.#parts;
    this.#parts = [];
    return Buffer.concat([...parts, CLOSE]);
  }
}
