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

/** Writes records in one transaction. */
export type Transact = (records: readonly BatchRecord[]) => Promise<void>;

/**
 * Opens a transactional producer on one connection to the broker, which must be the coordinator and the leader of all
 * partitions.
 */
export async function openTransactions(connection: Connection, name: string, way: Way): Promise<Transact> {
  // On a new broker this also creates the coordinator's topic.
  await retryTransient(() =>
    findCoordinatorV4.api.async(connection, FindCoordinatorKeyTypes.TRANSACTION, [name]),
  );
  const { producerId, producerEpoch } = await retryTransient(() =>
    initProducerIdV4.api.async(connection, name, TIMEOUT_MS),
  );
  let current: Ended = { id: producerId, epoch: producerEpoch };
  const sequences = new Map<string, number>();

  const add = (produceBatch: ProduceBatch) =>
    addPartitionsToTxnV3.api.async(connection, [
      {
        transactionalId: name,
        producerId: current.id,
        producerEpoch: current.epoch,
        verifyOnly: false,
        topics: produceBatch.map(({ topic, partition }) => ({ name: topic, partitions: [partition] })),
      },
    ]);

  const write = async (produceBatch: ProduceBatch): Promise<void> => {
    const numbered = produceBatch.map((batch) => ({
      batch,
      sequence: sequences.get(partitionKey(batch)) ?? 0,
    }));
    const buffer = Buffer.allocUnsafeSlow(batchesBytes(numbered));
    const api = way === 'version-2' ? produceV12 : produce;
    if (way === 'in-turn') await retryTransient(() => add(produceBatch));
    await retryTransient(() =>
      api.async(connection, { transactionalId: name, ...current }, numbered, TIMEOUT_MS, Date.now(), buffer),
    );
    for (const { batch, sequence } of numbered)
      sequences.set(partitionKey(batch), nextSequence(sequence, batch.records.length));
  };

  return async (records) => {
    for (const produceBatch of batchRecords(records)) await write(produceBatch);
    if (way === 'in-turn') {
      await endTxnV3.api.async(connection, name, current.id, current.epoch, true);
      return;
    }
    current = await endTxnV5.async(connection, name, current.id, current.epoch, true);
    // Sequences count within an epoch.
    sequences.clear();
  };
}
