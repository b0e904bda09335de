import type { Connection } from '@platformatic/kafka';
import { partitionKey } from '../port.ts';
import type { Round } from '../rounds.ts';
import type { Connections } from './connections.ts';
import { toStreamError } from './errors.ts';
import { patiently } from './patiently.ts';
import { type Identity, type NumberedBatch, nextSequence, produce } from './produce.ts';

const PRODUCE_TIMEOUT_MS = 10_000;

/**
 * Sends the batches of a producer that is idempotent and has no transaction. A request whose connection was lost is sent
 * once more by a new one, under the same sequence numbers: what the broker took the first time is not written twice.
 */
export class IdempotentSender {
  readonly #connections: Connections;
  readonly #identity: Identity;
  /** Number of the next record, by partition. */
  readonly #sequences = new Map<string, number>();

  constructor(connections: Connections, identity: Identity) {
    this.#connections = connections;
    this.#identity = identity;
  }

  /** Resolves when all batches are acknowledged. After a rejection the sender is of no further use. */
  async send(round: Round): Promise<void> {
    const numbered = round.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    try {
      await this.#sendAll(numbered);
    } catch (error) {
      if (toStreamError('produce', error).code !== 'UNAVAILABLE') throw error;
      await this.#sendAll(numbered);
    }
    for (const { batch, sequence } of numbered)
      this.#sequences.set(partitionKey(batch), nextSequence(sequence, batch.records.length));
  }

  /** The leaders at once. Settles when all of them have, so that no answer of a first attempt comes into a second. */
  async #sendAll(numbered: readonly NumberedBatch[]): Promise<void> {
    const byLeader = new Map<Connection, NumberedBatch[]>();
    for (const one of numbered) {
      const leader = await this.#connections.leader(one.batch);
      const known = byLeader.get(leader);
      if (known === undefined) byLeader.set(leader, [one]);
      else known.push(one);
    }
    const sent = await Promise.allSettled(
      [...byLeader].map(([leader, batches]) =>
        patiently(() => produce.async(leader, this.#identity, batches, PRODUCE_TIMEOUT_MS, Date.now())),
      ),
    );
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
