import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { settlesWithin } from '#timing/clock.ts';
import {
  type BatchProducer,
  type BatchRecord,
  type PublishRecord,
  partitionOfKey,
  type Unsent,
} from '../port.ts';
import { BrokerConnections } from './connections.ts';
import { isDisconnected, NoLeaderError, toStreamError } from './errors.ts';
import { initProducerIdV4 } from './library.ts';
import { BatchSender, batchRecords } from './produce.ts';
import { retryTransient } from './retries.ts';

/** Ignored by the broker for a producer without transactions. */
const NO_TRANSACTION_TIMEOUT = 0;
/** Timeout of closing the connections: a broker that hangs never responds. */
const CLOSE_MS = 1_000;
/** Number of different first turns. */
const TURNS = 1_000n;
const RETRY_PAUSE_MS = 100;

/** Opens an idempotent producer without transactions. Rejects with `StreamError`. */
export async function openBatchProducer(brokers: Brokers, clientId: string): Promise<BatchProducer> {
  const connections = new BrokerConnections(brokers, clientId);
  const close = async (): Promise<void> => {
    await settlesWithin(connections.close(), CLOSE_MS);
  };
  try {
    const { producerId, producerEpoch } = await retryTransient(async () =>
      initProducerIdV4.api.async(await connections.any(), null, NO_TRANSACTION_TIMEOUT),
    );
    const identity = { transactionalId: null, id: producerId, epoch: producerEpoch };
    const sender = new BatchSender(connections, identity);
    // Records for `any` partition go to the next partition with each request. Producers begin at different partitions.
    let turn = Number(producerId % TURNS);
    return {
      close,
      async send(records, onRetry) {
        turn += 1;
        let losses = 0;
        const resend = async (thrown: unknown): Promise<void> => {
          const error = toStreamError('publish', thrown);
          // The next send leaves these records out, so that other partitions need not wait for the leader.
          if (error instanceof NoLeaderError) throw error;
          if (error.code !== 'UNAVAILABLE' || connections.isClosed) throw error;
          const isLoss = isDisconnected(thrown);
          // The next attempt must not wait behind one that hangs.
          if (isLoss) await connections.reset();
          // Brokers close idle connections: the first loss is no failure.
          if (isLoss && losses++ === 0) return;
          onRetry(error);
          await delay(RETRY_PAUSE_MS);
        };
        try {
          const { chosen, unsent } = await choosePartitions(records, connections, turn);
          await sender.send(batchRecords(chosen), resend);
          return unsent;
        } catch (error) {
          throw toStreamError('publish', error);
        }
      },
    };
  } catch (error) {
    await close();
    throw toStreamError('connect', error);
  }
}

/** Chooses each record's partition: its own, its key's, or from `turn` on one with a leader. `unsent`: those without a leader. */
async function choosePartitions(
  records: readonly PublishRecord[],
  connections: BrokerConnections,
  turn: number,
): Promise<{ readonly chosen: readonly BatchRecord[]; readonly unsent: Unsent }> {
  const topics = new Map<string, readonly boolean[]>();
  for (const { topic } of records) {
    if (!topics.has(topic)) topics.set(topic, await connections.haveLeaders(topic));
  }
  const chosen: BatchRecord[] = [];
  const unsent = new Map<PublishRecord, NoLeaderError>();
  for (const record of records) {
    const { topic, key, value, traceparent } = record;
    const haveLeaders = topics.get(topic) ?? [];
    const partition = chosenPartition(record, haveLeaders, turn);
    if (haveLeaders[partition] === false) {
      unsent.set(record, new NoLeaderError({ topic, partition }));
      connections.forgetTopic(topic);
    } else if (traceparent === undefined) chosen.push({ topic, partition, key, value });
    else chosen.push({ topic, partition, key, value, traceparent });
  }
  return { chosen, unsent };
}

function chosenPartition(
  { partition, key }: PublishRecord,
  haveLeaders: readonly boolean[],
  turn: number,
): number {
  const count = haveLeaders.length;
  if (partition === undefined) return partitionOfKey(key ?? '', count);
  if (partition !== 'any') return partition;
  const next = haveLeaders.indexOf(true, turn % count);
  return next !== -1 ? next : Math.max(haveLeaders.indexOf(true), 0);
}
