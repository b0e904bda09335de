import type { Connection } from '@platformatic/kafka';
import { partitionKey } from '../port.ts';
import type { Batch, Round } from '../rounds.ts';
import type { Connections } from './connections.ts';
import { byLeader } from './open-transactions.ts';
import { type Identity, nextSequence, produce } from './produce.ts';
import { retryTransient } from './retry.ts';

const PRODUCE_TIMEOUT_MS = 10_000;

/** Sends the batches of one idempotent producer, each under its place in the sequence of its partition. */
export class RoundSender {
  readonly #connections: Connections;
  readonly #identity: Identity;
  /** Number of the next record, by partition. */
  readonly #sequences = new Map<string, number>();

  constructor(connections: Connections, identity: Identity) {
    this.#connections = connections;
    this.#identity = identity;
  }

  /** After a rejection it is unknown what was written, and the sender is of no further use. */
  async send(rounds: readonly Round[]): Promise<void> {
    for (const round of rounds) {
      // The leaders at once, the rounds one after the other: a partition's batches must arrive in order.
      await retryTransient(() => this.#sendRound(round), { forget: () => this.#connections.forget() });
      for (const batch of round)
        this.#sequences.set(
          partitionKey(batch),
          nextSequence(this.#sequences.get(partitionKey(batch)) ?? 0, batch.records.length),
        );
    }
  }

  /** Asked again with the same sequence numbers, what was taken the first time is not written twice. */
  async #sendRound(round: Round): Promise<void> {
    const leaders = await byLeader(this.#connections, round);
    await Promise.all([...leaders].map(([leader, batches]) => this.#sendTo(leader, batches)));
  }

  async #sendTo(leader: Connection, batches: readonly Batch[]): Promise<void> {
    const numbered = batches.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    await produce.async(leader, this.#identity, numbered, PRODUCE_TIMEOUT_MS, Date.now());
  }
}
