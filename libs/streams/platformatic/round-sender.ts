import type { Connection } from '@platformatic/kafka';
import { partitionKey } from '../port.ts';
import type { Batch, Round } from '../rounds.ts';
import type { Connections } from './connections.ts';
import { patiently } from './patiently.ts';
import { type Identity, nextSequence, produce } from './produce.ts';

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

  /**
   * Resolves to the offset of the last record written to each partition (`partitionKey`). After a rejection it is
   * unknown what was written, and the sender is of no further use.
   */
  async send(rounds: readonly Round[]): Promise<Map<string, number>> {
    const written = new Map<string, number>();
    for (const round of rounds) {
      const byLeader = await this.#byLeader(round);
      // The leaders at once, the rounds one after the other: a partition's batches must arrive in order.
      await Promise.all([...byLeader].map(([leader, batches]) => this.#sendTo(leader, batches, written)));
    }
    return written;
  }

  async #byLeader(round: Round): Promise<Map<Connection, Batch[]>> {
    const byLeader = new Map<Connection, Batch[]>();
    for (const batch of round) {
      const leader = await this.#connections.leader(batch);
      const known = byLeader.get(leader);
      if (known === undefined) byLeader.set(leader, [batch]);
      else known.push(batch);
    }
    return byLeader;
  }

  async #sendTo(leader: Connection, batches: readonly Batch[], written: Map<string, number>): Promise<void> {
    const numbered = batches.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    // Asked again with the same sequence numbers, what was taken the first time is not written twice.
    const { responses } = await patiently(() =>
      produce.async(leader, this.#identity, numbered, PRODUCE_TIMEOUT_MS, Date.now()),
    );
    for (const { batch, sequence } of numbered)
      this.#sequences.set(partitionKey(batch), nextSequence(sequence, batch.records.length));
    const counts = new Map(batches.map((batch) => [partitionKey(batch), batch.records.length]));
    for (const { name, partitionResponses } of responses) {
      for (const { index, baseOffset } of partitionResponses) {
        const key = partitionKey({ topic: name, partition: index });
        written.set(key, Number(baseOffset) + (counts.get(key) ?? 0) - 1);
      }
    }
  }
}
