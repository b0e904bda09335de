/**
 * Bare transactions, in every variant that may be faster. They retry only errors of a transaction that has just ended;
 * any other failure ends the loop.
 */
import {
  addPartitionsToTxnV3,
  type Connection,
  createAPI,
  endTxnV3,
  endTxnV4,
  FindCoordinatorKeyTypes,
  findCoordinatorV4,
  initProducerIdV4,
  produceV11,
  type Reader,
  ResponseError,
} from '@platformatic/kafka';
import {
  batchesBytes,
  batchRecords,
  createRequest,
  nextSequence,
  type ProduceBatch,
  produce,
} from '#streams/client/platformatic/produce.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import { type BatchRecord, partitionKey } from '#streams/client/port.ts';

/** Variant of a transaction. */
export type Way =
  /** AddPartitionsToTxn, Produce, EndTxn, each after the response to the previous one. */
  | 'in-turn'
  /** Transaction version 2: Produce adds the partitions, EndTxn returns the next epoch (KIP-890). */
  | 'version-2';

const TIMEOUT_MS = 10_000;

/** Produce as of transaction version 2: the broker adds the partitions to the transaction. */
const produceV12 = createAPI(0, 12, createRequest, produceV11.parseResponse);

type Ended = { readonly id: bigint; readonly epoch: number };

const endTxnV5 = createAPI<[string, bigint, number, boolean], Ended>(
  26,
  5,
  endTxnV4.createRequest,
  parseEnded,
);

function parseEnded(_correlationId: number, key: number, version: number, reader: Reader): Ended {
  reader.readInt32();
  const code = reader.readInt16();
  if (code !== 0) throw new ResponseError(key, version, { '': [code, null] }, {});
  return { id: reader.readInt64(), epoch: reader.readInt16() };
}

/**
 * A transactional producer on one connection to the broker, which must be the coordinator and the leader of all
 * partitions.
 */
export class BareTransactions {
  readonly #connection: Connection;
  readonly #name: string;
  readonly #way: Way;
  #id: bigint;
  #epoch: number;
  readonly #sequences = new Map<string, number>();

  private constructor(connection: Connection, name: string, way: Way, id: bigint, epoch: number) {
    this.#connection = connection;
    this.#name = name;
    this.#way = way;
    this.#id = id;
    this.#epoch = epoch;
  }

  static async open(connection: Connection, name: string, way: Way): Promise<BareTransactions> {
    // On a new broker this also creates the coordinator's topic.
    await retryTransient(() =>
      findCoordinatorV4.api.async(connection, FindCoordinatorKeyTypes.TRANSACTION, [name]),
    );
    const { producerId, producerEpoch } = await retryTransient(() =>
      initProducerIdV4.api.async(connection, name, TIMEOUT_MS),
    );
    return new BareTransactions(connection, name, way, producerId, producerEpoch);
  }

  async transact(records: readonly BatchRecord[]): Promise<void> {
    for (const produceBatch of batchRecords(records)) await this.#write(produceBatch);
    if (this.#way !== 'version-2') {
      await endTxnV3.api.async(this.#connection, this.#name, this.#id, this.#epoch, true);
      return;
    }
    const ended = await endTxnV5.async(this.#connection, this.#name, this.#id, this.#epoch, true);
    // Sequences count within an epoch.
    this.#sequences.clear();
    this.#id = ended.id;
    this.#epoch = ended.epoch;
  }

  async #write(produceBatch: ProduceBatch): Promise<void> {
    const numbered = produceBatch.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    const identity = { transactionalId: this.#name, id: this.#id, epoch: this.#epoch };
    const buffer = Buffer.allocUnsafeSlow(batchesBytes(numbered));
    const write = (api: typeof produce | typeof produceV12) =>
      api.async(this.#connection, identity, numbered, TIMEOUT_MS, Date.now(), buffer);
    if (this.#way === 'version-2') await retryTransient(() => write(produceV12));
    else {
      await retryTransient(() => this.#add(produceBatch));
      await retryTransient(() => write(produce));
    }
    for (const { batch, sequence } of numbered)
      this.#sequences.set(partitionKey(batch), nextSequence(sequence, batch.records.length));
  }

  async #add(produceBatch: ProduceBatch): Promise<void> {
    await addPartitionsToTxnV3.api.async(this.#connection, [
      {
        transactionalId: this.#name,
        producerId: this.#id,
        producerEpoch: this.#epoch,
        verifyOnly: false,
        topics: produceBatch.map(({ topic, partition }) => ({ name: topic, partitions: [partition] })),
      },
    ]);
  }
}
