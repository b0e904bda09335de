import {
  addOffsetsToTxnV3,
  addPartitionsToTxnV3,
  type Connection,
  endTxnV3,
  initProducerIdV4,
  txnOffsetCommitV3,
} from '@platformatic/kafka';
import type { CommitPosition, OutputRecord, TransactionalProducer } from '../port.ts';
import { type Round, splitRounds } from '../rounds.ts';
import { Connections } from './connections.ts';
import { isMoved, toStreamError } from './errors.ts';
import { patiently } from './patiently.ts';
import { RoundSender } from './round-sender.ts';

/** An abandoned transaction holds up every read-committed reader of its partitions for this long. */
const TRANSACTION_TIMEOUT_MS = 10_000;

/** Without a generation, as a producer that stands outside the group: the epoch of the transactional id is the lock. */
const NO_MEMBER = { generation: -1, id: '' };

type Identity = { readonly id: bigint; readonly epoch: number };

/** Opens the producer and fences the owner before it. Rejects with `StreamError`. */
export async function openTransactionalProducer(
  brokers: readonly string[],
  clientId: string,
  transactionalId: string,
): Promise<TransactionalProducer> {
  const connections = new Connections(brokers, clientId);
  try {
    const { coordinator, identity } = await patiently(async () => {
      const coordinator = await connections.coordinator('transaction', transactionalId);
      const { producerId, producerEpoch } = await initProducerIdV4.api.async(
        coordinator,
        transactionalId,
        TRANSACTION_TIMEOUT_MS,
      );
      return { coordinator, identity: { id: producerId, epoch: producerEpoch } };
    });
    return new ProtocolTransactionalProducer(connections, coordinator, transactionalId, identity);
  } catch (error) {
    await connections.close();
    throw toStreamError(`open transactional producer ${transactionalId}`, error);
  }
}

/**
 * A transactional producer straight on the protocol: every request of a transaction once, in the order the broker
 * needs, records and input position at the same time. Nothing is retried but what the broker says is a matter of
 * milliseconds; after anything else the outcome is unknown, and the owner opens another one.
 */
class ProtocolTransactionalProducer implements TransactionalProducer {
  readonly #connections: Connections;
  readonly #coordinator: Connection;
  readonly #transactionalId: string;
  readonly #identity: Identity;
  readonly #sender: RoundSender;
  readonly #groups = new Map<string, Connection>();

  constructor(
    connections: Connections,
    coordinator: Connection,
    transactionalId: string,
    identity: Identity,
  ) {
    this.#connections = connections;
    this.#coordinator = coordinator;
    this.#transactionalId = transactionalId;
    this.#identity = identity;
    this.#sender = new RoundSender(connections, { transactionalId, ...identity });
  }

  async transact(
    records: readonly OutputRecord[],
    position: CommitPosition | null,
  ): Promise<ReadonlyMap<string, number>> {
    if (records.length === 0 && position === null) return new Map();
    const { id, epoch } = this.#identity;
    const rounds = splitRounds(records);
    try {
      if (rounds.length > 0) await this.#addPartitions(rounds);
      const [written] = await Promise.all([
        this.#sender.send(rounds),
        position === null ? null : this.#commitPosition(position),
      ]);
      await endTxnV3.api.async(this.#coordinator, this.#transactionalId, id, epoch, true);
      return written;
    } catch (error) {
      throw toStreamError(`transaction of ${this.#transactionalId}`, error);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #addPartitions(rounds: readonly Round[]): Promise<void> {
    const partitions = new Map<string, Set<number>>();
    for (const { topic, partition } of rounds.flat()) {
      const known = partitions.get(topic);
      if (known === undefined) partitions.set(topic, new Set([partition]));
      else known.add(partition);
    }
    const topics = [...partitions].map(([name, of]) => ({ name, partitions: [...of] }));
    const { id, epoch } = this.#identity;
    await patiently(() =>
      addPartitionsToTxnV3.api.async(this.#coordinator, [
        {
          transactionalId: this.#transactionalId,
          producerId: id,
          producerEpoch: epoch,
          verifyOnly: false,
          topics,
        },
      ]),
    );
  }

  async #commitPosition({ group, topic, partition, next }: CommitPosition): Promise<void> {
    const { id, epoch } = this.#identity;
    await patiently(() =>
      addOffsetsToTxnV3.api.async(this.#coordinator, this.#transactionalId, id, epoch, group),
    );
    await patiently(async () => {
      const coordinator = this.#groups.get(group) ?? (await this.#connections.coordinator('group', group));
      this.#groups.set(group, coordinator);
      try {
        await txnOffsetCommitV3.api.async(
          coordinator,
          this.#transactionalId,
          group,
          id,
          epoch,
          NO_MEMBER.generation,
          NO_MEMBER.id,
          null,
          [
            {
              name: topic,
              partitions: [
                {
                  partitionIndex: partition,
                  committedOffset: BigInt(next),
                  committedLeaderEpoch: -1,
                  committedMetadata: null,
                },
              ],
            },
          ],
        );
      } catch (error) {
        if (isMoved(error)) this.#groups.delete(group);
        throw error;
      }
    });
  }
}
