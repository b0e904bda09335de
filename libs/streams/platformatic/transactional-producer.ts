import { setTimeout as delay } from 'node:timers/promises';
import {
  addOffsetsToTxnV3,
  addPartitionsToTxnV3,
  type Connection,
  endTxnV3,
  initProducerIdV4,
  NumericMap,
  ProduceAcks,
  produceV9,
  txnOffsetCommitV3,
} from '@platformatic/kafka';
import {
  type CommitPosition,
  type OutputRecord,
  partitionKey,
  type TopicPartition,
  type TransactionalProducer,
} from '../port.ts';
import { type Round, splitRounds } from '../rounds.ts';
import { Connections } from './connections.ts';
import { isMoved, isPassing, toStreamError } from './errors.ts';

/** An abandoned transaction holds up every read-committed reader of its partitions for this long. */
const TRANSACTION_TIMEOUT_MS = 10_000;
const PRODUCE_TIMEOUT_MS = 10_000;
/** How long the coordinator may be busy with the transaction before, or on its way, before the producer gives up. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 2;

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
  /** Number of the next record of a partition, as `topic:partition`. */
  readonly #sequences = new NumericMap();
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
  }

  async transact(
    records: readonly OutputRecord[],
    position: CommitPosition | null,
  ): Promise<ReadonlyMap<string, number>> {
    if (records.length === 0 && position === null) return new Map();
    const { id, epoch } = this.#identity;
    try {
      if (records.length > 0) await this.#addPartitions(records);
      const [written] = await Promise.all([
        this.#produce(records),
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

  async #addPartitions(records: readonly OutputRecord[]): Promise<void> {
    const partitions = new Map<string, Set<number>>();
    for (const { topic, partition } of records) {
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

  async #produce(records: readonly OutputRecord[]): Promise<Map<string, number>> {
    const written = new Map<string, number>();
    for (const round of splitRounds(records)) {
      const byLeader = await this.#byLeader(round);
      // The leaders at once, the rounds one after the other: a partition's batches must arrive in order.
      await Promise.all([...byLeader].map(([leader, batch]) => this.#send(leader, batch, written)));
    }
    return written;
  }

  async #byLeader(round: Round): Promise<Map<Connection, OutputRecord[]>> {
    const byLeader = new Map<Connection, OutputRecord[]>();
    let last: { of: TopicPartition; batch: OutputRecord[] } | undefined;
    for (const messages of round.values()) {
      for (const record of messages) {
        if (last === undefined || last.of.topic !== record.topic || last.of.partition !== record.partition) {
          const leader = await this.#connections.leader(record);
          const batch = byLeader.get(leader) ?? [];
          byLeader.set(leader, batch);
          last = { of: record, batch };
        }
        last.batch.push(record);
      }
    }
    return byLeader;
  }

  async #send(leader: Connection, batch: OutputRecord[], written: Map<string, number>): Promise<void> {
    const { id, epoch } = this.#identity;
    const messages = batch.map(({ topic, partition, key, value }) => ({
      topic,
      partition,
      key: Buffer.isBuffer(key) ? key : Buffer.from(key),
      value: value as Buffer,
    }));
    const options = {
      transactionalId: this.#transactionalId,
      producerId: id,
      producerEpoch: epoch,
      sequences: this.#sequences,
    };
    // Asked again with the same sequence numbers, what was taken the first time is not written twice.
    const response = await patiently(() =>
      produceV9.api.async(leader, ProduceAcks.ALL, PRODUCE_TIMEOUT_MS, messages, options),
    );
    // It is a boolean only where no acknowledgement is asked for.
    if (typeof response === 'boolean') return;
    const counts = new NumericMap();
    for (const { topic, partition } of batch) counts.postIncrement(`${topic}:${partition}`, 1, 0);
    for (const { name, partitionResponses } of response.responses) {
      for (const { index, baseOffset } of partitionResponses) {
        const count = counts.getWithDefault(`${name}:${index}`, 0);
        this.#sequences.postIncrement(`${name}:${index}`, count, 0);
        written.set(partitionKey({ topic: name, partition: index }), Number(baseOffset) + count - 1);
      }
    }
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

/** Asks again, for a while, what the broker could not do at this moment. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}
