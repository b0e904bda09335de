/**
 * Replaces library.ts and session-connection.ts of libs/streams/client/platformatic: the simulated cluster handles every request
 * of the client. The rest of the client's code is not replaced.
 */

import type { NumberedBatch } from '#streams/client/platformatic/produce-request.ts';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';
import type { NewRecord } from '../broker/partition-log.ts';
import { ProtocolError } from '../broker/protocol-error.ts';
import { PORT } from './network.ts';
import { api } from './request.ts';

const MAX_RECORD_BYTES = 1024 * 1024;

export * from './group-requests.ts';
export { SimulatedConnection as Connection, SimulatedConnection as SessionConnection } from './network.ts';

const UNKNOWN_TOPIC = 3;

export const metadataV12 = api('Metadata', (cluster, _broker, names: readonly string[]) => {
  const topics = names.map((name) => {
    const topic = cluster.topics.get(name);
    return {
      name,
      errorCode: topic === undefined ? UNKNOWN_TOPIC : 0,
      topicId: topic?.id ?? '',
      partitions: (topic?.partitions ?? []).map(({ partition, leader, log }) => ({
        partitionIndex: partition,
        leaderId: leader ?? -1,
        leaderEpoch: log.leaderEpoch,
      })),
    };
  });
  const brokers = cluster.brokers
    .filter(({ isUp }) => isUp)
    .map(({ id, host }) => ({ nodeId: id, host, port: PORT }));
  const response = { brokers, topics };
  // The library throws too, with the response.
  if (topics.some(({ errorCode }) => errorCode !== 0))
    throw Object.assign(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'), { response });
  return response;
});

export const FindCoordinatorKeyTypes = { GROUP: 0, TRANSACTION: 1 } as const;

export const findCoordinatorV4 = api(
  'FindCoordinator',
  (cluster, _broker, type: number, keys: readonly string[]) => ({
    coordinators: keys.map((key) => ({
      key,
      host: cluster.brokers[cluster.coordinatorOf(`${type} ${key}`)]?.host,
      port: PORT,
    })),
  }),
);

const TRANSACTION = FindCoordinatorKeyTypes.TRANSACTION;

export const describeTransactionsV0 = api(
  'DescribeTransactions',
  (cluster, broker, ids: readonly string[]) => ({
    transactionStates: ids.map((id) => {
      cluster.requireCoordinator(broker, `${TRANSACTION} ${id}`);
      const { state, producer } = cluster.transactions.describe(id);
      return {
        transactionalId: id,
        transactionState: state,
        producerId: BigInt(producer.id),
        producerEpoch: producer.epoch,
      };
    }),
  }),
);

export const initProducerIdV4 = api('InitProducerId', (cluster, broker, id: string, timeoutMs: number) => {
  cluster.requireCoordinator(broker, `${TRANSACTION} ${id}`);
  const producer = cluster.transactions.initProducer(id, timeoutMs);
  cluster.listener.onOpened?.(producer);
  return { producerId: BigInt(producer.id), producerEpoch: producer.epoch };
});

type AddPartitions = {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly topics: readonly { readonly name: string; readonly partitions: readonly number[] }[];
};

export const addPartitionsToTxnV3 = api(
  'AddPartitionsToTxn',
  (cluster, broker, [transaction]: readonly AddPartitions[]) => {
    if (transaction === undefined) throw new Error('no transaction');
    const { transactionalId, producerId, producerEpoch, topics } = transaction;
    cluster.requireCoordinator(broker, `${TRANSACTION} ${transactionalId}`);
    const added = topics.flatMap(({ name, partitions }) =>
      partitions.map((partition) => ({ topic: name, partition })),
    );
    for (const one of added) cluster.partition(one);
    const producer = { id: String(producerId), epoch: producerEpoch };
    cluster.transactions.addPartitions(transactionalId, producer, added.map(partitionKey));
    return {};
  },
);

export const endTxnV3 = api(
  'EndTxn',
  (cluster, broker, id: string, producerId: bigint, epoch: number, commit: boolean) => {
    cluster.requireCoordinator(broker, `${TRANSACTION} ${id}`);
    cluster.transactions.end(id, { id: String(producerId), epoch }, commit);
    return {};
  },
);

type Described = readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[];

export const describeProducersV0 = api('DescribeProducers', (cluster, broker, topics: Described) => ({
  topics: topics.map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partition) => ({
      partitionIndex: partition,
      activeProducers: cluster
        .openTransactions(broker, { topic: name, partition })
        .map(({ producer, start }) => ({
          producerId: BigInt(producer.id),
          producerEpoch: producer.epoch,
          currentTxnStartOffset: BigInt(start),
        })),
    })),
  })),
}));

export const FetchIsolationLevels = { READ_UNCOMMITTED: 0, READ_COMMITTED: 1 } as const;

type Listed = readonly {
  readonly name: string;
  readonly partitions: readonly { readonly partitionIndex: number; readonly timestamp: bigint }[];
}[];

const EARLIEST = -2n;

export const listOffsetsV7 = api(
  'ListOffsets',
  (cluster, broker, _replica: number, _isolation: number, topics: Listed) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, timestamp }) => {
        const { log } = cluster.ledBy(broker, { topic: name, partition: partitionIndex });
        return { partitionIndex, offset: BigInt(timestamp === EARLIEST ? log.start : log.end) };
      }),
    })),
  }),
);

type RequestedEpochs = readonly {
  readonly name: string;
  readonly partitions: readonly {
    readonly partitionIndex: number;
    readonly currentLeaderEpoch: number;
    readonly leaderEpoch: number;
  }[];
}[];

export const offsetForLeaderEpochV4 = api(
  'OffsetForLeaderEpoch',
  (cluster, broker, _replica: number, topics: RequestedEpochs) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, currentLeaderEpoch, leaderEpoch }) => {
        const of = { topic: name, partition: partitionIndex };
        const found = cluster.epochEnd(broker, of, currentLeaderEpoch, leaderEpoch);
        return { leaderEpoch: found?.epoch ?? -1, endOffset: BigInt(found?.endOffset ?? -1) };
      }),
    })),
  }),
);

export const ProduceAcks = { ALL: -1 } as const;
const PRODUCE = 0;

type ProducerIdentity = {
  readonly transactionalId: string | null;
  readonly id: bigint;
  readonly epoch: number;
};

const produce = api(
  'Produce',
  (cluster, broker, { transactionalId, id, epoch }: ProducerIdentity, batches: readonly NumberedBatch[]) => {
    const producer = { id: String(id), epoch };
    const failed: Error[] = [];
    const responses = batches.map(({ batch, sequence }) => {
      const of: TopicPartition = { topic: batch.topic, partition: batch.partition };
      const records = batch.records.map(
        ({ key, value }): NewRecord => ({ key: bytes(key), value: copy(value) }),
      );
      try {
        if (batch.bytes > MAX_RECORD_BYTES) throw new ProtocolError('MESSAGE_TOO_LARGE');
        const baseOffset = cluster.produce(broker, of, { transactionalId, producer, sequence, records });
        return {
          name: batch.topic,
          partitionResponses: [{ index: batch.partition, baseOffset: BigInt(baseOffset) }],
        };
      } catch (error) {
        failed.push(error as Error);
        return { name: batch.topic, partitionResponses: [] };
      }
    });
    if (failed.length > 0) throw new AggregateError(failed, failed[0]?.message);
    return { responses };
  },
);

/** Returns the API of a request that the client encodes itself. Only Produce is known; fetch.ts replaces Fetch. */
export function createAPI(key: number): typeof produce {
  if (key !== PRODUCE) throw new Error(`the simulation does not know request ${key}`);
  return produce;
}

export const produceV9 = { parseResponse(): void {} };

function bytes(key: Buffer | string | null): Buffer | null {
  return typeof key === 'string' ? Buffer.from(key) : copy(key);
}

/** Returns a copy, as the writer may change its buffer. */
function copy(value: Buffer | null): Buffer | null {
  return value === null ? null : Buffer.from(value);
}

/** Errors of the library, which the simulation never creates. */
export class AuthenticationError extends Error {}
export class ResponseError extends Error {}

/** Encoders, which are never called: the cluster handles requests by their arguments. */
export class Writer {}
export const crc32c = (): number => 0;
