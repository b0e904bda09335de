import { partitionKey } from '../port.ts';
import type { ProduceBatch, RecordBatch } from '../produce-batches.ts';
import type { Connections } from './connections.ts';
import { isDisconnected } from './errors.ts';
import type { Connection } from './library.ts';
import { byLeader } from './open-transactions.ts';
import { type Identity, nextSequence, produce, requestBytes } from './produce.ts';
import { retryTransient } from './retry.ts';

const PRODUCE_TIMEOUT_MS = 10_000;

/**
 * The buffer of an answered request, for the next request of any sender: page faults of fresh memory cost more than
 * writing the request. Larger buffers are not reused.
 */
let spareBuffer: Buffer | null = null;
const MAX_SPARE_BYTES = 2 * 1024 * 1024;

/** Sends the record batches of one idempotent producer, with their sequence numbers. */
export class BatchSender {
  readonly #connections: Connections;
  readonly #identity: Identity;
  readonly #resends: boolean;
  /** Sequence number of the next record, by partition. */
  readonly #sequences = new Map<string, number>();

  /** `resends`: sends a produce batch once more over a new connection where the old one was lost, e.g. closed as idle. */
  constructor(connections: Connections, identity: Identity, resends = false) {
    this.#connections = connections;
    this.#identity = identity;
    this.#resends = resends;
  }

  /** After a rejection the outcome is unknown, and the sender must not be used again. */
  async send(batches: readonly ProduceBatch[]): Promise<void> {
    for (const produceBatch of batches) {
      // Leaders in parallel, produce batches one after the other: a partition's batches must arrive in order.
      await this.#sendUntilAccepted(produceBatch).catch((error: unknown) => {
        if (!this.#resends || !isDisconnected(error)) throw error;
        return this.#sendUntilAccepted(produceBatch);
      });
      for (const batch of produceBatch)
        this.#sequences.set(
          partitionKey(batch),
          nextSequence(this.#sequences.get(partitionKey(batch)) ?? 0, batch.records.length),
        );
    }
  }

  /** Resends with the same sequence numbers: an accepted batch is not written twice. */
  #sendUntilAccepted(produceBatch: ProduceBatch): Promise<void> {
    return retryTransient(() => this.#sendBatch(produceBatch), { forget: () => this.#connections.forget() });
  }

  /** Settles when every leader has answered, so that no answer of a first attempt arrives during a second. */
  async #sendBatch(produceBatch: ProduceBatch): Promise<void> {
    const leaders = await byLeader(this.#connections, produceBatch);
    const sent = await Promise.allSettled(
      [...leaders].map(([leader, batches]) => this.#sendTo(leader, batches)),
    );
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #sendTo(leader: Connection, batches: readonly RecordBatch[]): Promise<void> {
    const numbered = batches.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    const buffer = acquireBuffer(requestBytes(this.#identity, numbered));
    await produce.async(leader, this.#identity, numbered, PRODUCE_TIMEOUT_MS, Date.now(), buffer);
    // Not after a failure: the connection may still write it.
    if (buffer.length <= MAX_SPARE_BYTES) spareBuffer = buffer;
  }
}

function acquireBuffer(bytes: number): Buffer {
  const buffer = spareBuffer;
  if (buffer === null || buffer.length < bytes) return Buffer.allocUnsafeSlow(bytes);
  spareBuffer = null;
  return buffer;
}
