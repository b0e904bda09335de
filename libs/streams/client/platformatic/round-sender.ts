import type { Connection } from '@platformatic/kafka';
import { partitionKey } from '../port.ts';
import type { Batch, Round } from '../rounds.ts';
import type { Connections } from './connections.ts';
import { isDisconnected } from './errors.ts';
import { byLeader } from './open-transactions.ts';
import { type Identity, nextSequence, produce, requestBytes } from './produce.ts';
import { retryTransient } from './retry.ts';

const PRODUCE_TIMEOUT_MS = 10_000;

/**
 * Buffer of an answered request, for the next of any sender: memory that is fresh for each request costs more in page faults
 * than all that is written into it. Larger ones are not kept.
 */
let spareBuffer: Buffer | null = null;
const MAX_SPARE_BYTES = 2 * 1024 * 1024;

/** Sends the batches of one idempotent producer, each under its place in the sequence of its partition. */
export class RoundSender {
  readonly #connections: Connections;
  readonly #identity: Identity;
  readonly #resends: boolean;
  /** Number of the next record, by partition. */
  readonly #sequences = new Map<string, number>();

  /** `resends`: a round whose connection was lost, closed for idleness perhaps, is sent once more over a new one. */
  constructor(connections: Connections, identity: Identity, resends = false) {
    this.#connections = connections;
    this.#identity = identity;
    this.#resends = resends;
  }

  /** After a rejection it is unknown what was written, and the sender is of no further use. */
  async send(rounds: readonly Round[]): Promise<void> {
    for (const round of rounds) {
      // The leaders at once, the rounds one after the other: a partition's batches must arrive in order.
      await this.#sendUntilTaken(round).catch((error: unknown) => {
        if (!this.#resends || !isDisconnected(error)) throw error;
        return this.#sendUntilTaken(round);
      });
      for (const batch of round)
        this.#sequences.set(
          partitionKey(batch),
          nextSequence(this.#sequences.get(partitionKey(batch)) ?? 0, batch.records.length),
        );
    }
  }

  /** Sent again with the same sequence numbers, what was taken the first time is not written twice. */
  #sendUntilTaken(round: Round): Promise<void> {
    return retryTransient(() => this.#sendRound(round), { forget: () => this.#connections.forget() });
  }

  /** Settles when every leader has answered, so that no answer of a first attempt comes into a second. */
  async #sendRound(round: Round): Promise<void> {
    const leaders = await byLeader(this.#connections, round);
    const sent = await Promise.allSettled(
      [...leaders].map(([leader, batches]) => this.#sendTo(leader, batches)),
    );
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #sendTo(leader: Connection, batches: readonly Batch[]): Promise<void> {
    const numbered = batches.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    const buffer = takeBuffer(requestBytes(this.#identity, numbered));
    await produce.async(leader, this.#identity, numbered, PRODUCE_TIMEOUT_MS, Date.now(), buffer);
    // Not after a failure: the connection may still have to write it.
    if (buffer.length <= MAX_SPARE_BYTES) spareBuffer = buffer;
  }
}

function takeBuffer(bytes: number): Buffer {
  const buffer = spareBuffer;
  if (buffer === null || buffer.length < bytes) return Buffer.allocUnsafeSlow(bytes);
  spareBuffer = null;
  return buffer;
}
