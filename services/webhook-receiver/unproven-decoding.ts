import type { IncomingBody, SenderConnection } from './admission.ts';
import { type ContentCodings, decodeBody } from './content-coding.ts';
import type { DeliveryRefusedError } from './refusal.ts';

type WaitingBody = {
  readonly codings: ContentCodings;
  /** When its head was read, on the clock of `performance.now`. */
  readonly arrivedAt: number;
  readonly connection: SenderConnection;
};

/**
 * Decodes bodies before a signature is proven (docs/decisions/0007). A stranger can send a few bytes that decode to the
 * limit, so of all connections without an authentic delivery one body at a time is decoded; zlib works on its own thread.
 */
export class UnprovenDecoding {
  readonly #bodyLimit: number;
  readonly #timeoutMs: number;
  /** Resolves when no such body is being decoded. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(bodyLimit: number, timeoutMs: number) {
    this.#bodyLimit = bodyLimit;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Decodes a body when it is its turn. Resolves to its refusal when it is damaged or too large, and to 'late' when its
   * turn came after the timeout, or when `isHeld` says that the body was dropped.
   */
  decode(
    incoming: IncomingBody,
    { codings, arrivedAt, connection }: WaitingBody,
    isHeld: () => boolean,
  ): Promise<Buffer | DeliveryRefusedError | 'late'> {
    const now = async (): Promise<Buffer | DeliveryRefusedError | 'late'> => {
      if (!isHeld() || performance.now() - arrivedAt > this.#timeoutMs) return 'late';
      return decodeBody(incoming.bytes(), codings, this.#bodyLimit).catch(
        (refusal: DeliveryRefusedError) => refusal,
      );
    };
    if (connection.proven) return now();
    const decoded = this.#last.then(now);
    this.#last = decoded;
    return decoded;
  }
}
