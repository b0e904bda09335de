import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { settlesWithin } from '#timing/clock.ts';
import type { BatchProducer, PublishRecord } from '../port.ts';
import { type BatchRecord, batchRecords, partitionHash } from '../produce-batches.ts';
import { BrokerConnections } from './connections.ts';
import { isDisconnected, toStreamError } from './errors.ts';
import { initProducerIdV4 } from './library.ts';
import { BatchSender } from './produce.ts';
import { retryTransient } from './retries.ts';

/** Part of the request, without meaning for a producer without transactions. */
const NO_TRANSACTION_TIMEOUT = 0;
/** How long a close waits for the broker: a broker that hangs never answers. */
const CLOSE_MS = 1_000;
const TURNS = 1_000n;
const RETRY_PAUSE_MS = 100;

/** An idempotent producer on the bare protocol. Rejects with `StreamError`. */
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
    // Each request uses the next partition; producers begin at different ones.
    let turn = Number(producerId % TURNS);
    return {
      close,
      async send(records, onRetry) {
        turn += 1;
        let losses = 0;
        const resend = async (thrown: unknown): Promise<void> => {
          const error = toStreamError('publish', thrown);
          if (error.code !== 'UNAVAILABLE' || connections.isClosed) throw error;
          const isLoss = isDisconnected(thrown);
          // The next attempt is not to wait behind one that hangs.
          if (isLoss) await connections.reset();
          // Brokers close connections that are idle: the first loss is no failure.
          if (isLoss && losses++ === 0) return;
          onRetry(error);
          await delay(RETRY_PAUSE_MS);
        };
        try {
          await sender.send(batchRecords(await placed(records, connections, turn)), resend);
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

/** The records with their partitions: their own, that of their key, or for `any` that of the turn. */
async function placed(
  records: readonly PublishRecord[],
  connections: BrokerConnections,
  turn: number,
): Promise<readonly BatchRecord[]> {
  const topics = new Set(records.map(({ topic }) => topic));
  const counts = new Map<string, number>();
  for (const topic of topics) counts.set(topic, await connections.partitionCount(topic));
  return records.map(({ topic, partition, key, value, traceparent }) => {
    const count = counts.get(topic) ?? 1;
    const at =
      partition === 'any' ? turn % count : (partition ?? partitionHash(Buffer.from(key ?? '')) % count);
    if (traceparent === undefined) return { topic, partition: at, key, value };
    return { topic, partition: at, key, value, traceparent };
  });
}
