import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { settlesWithin } from '#timing/clock.ts';
import {
  type BatchProducer,
  type BatchRecord,
  type PublishRecord,
  partitionHash,
  type Unsent,
} from '../port.ts';
import { BrokerConnections } from './connections.ts';
import { isDisconnected, NoLeaderError, toStreamError } from './errors.ts';
import { initProducerIdV4 } from './library.ts';
import { BatchSender, batchRecords } from './produce.ts';
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
          // The next send finds that out before it sends, so that other partitions need not wait.
          if (error instanceof NoLeaderError) throw error;
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
          const { placed, unsent } = await place(records, connections, turn);
          await sender.send(batchRecords(placed), resend);
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

/** The records with their partitions: their own, that of their key, or for `any` the next from `turn` on that has a leader. */
async function place(
  records: readonly PublishRecord[],
  connections: BrokerConnections,
  turn: number,
): Promise<{ readonly placed: readonly BatchRecord[]; readonly unsent: Unsent }> {
  const topics = new Map<string, readonly boolean[]>();
  for (const { topic } of records) {
    if (!topics.has(topic)) topics.set(topic, await connections.led(topic));
  }
  const placed: BatchRecord[] = [];
  const unsent = new Map<PublishRecord, NoLeaderError>();
  for (const record of records) {
    const { topic, key, value, traceparent } = record;
    const led = topics.get(topic) ?? [];
    const partition = partitionOf(record, led, turn);
    if (led[partition] === false) {
      unsent.set(record, new NoLeaderError({ topic, partition }));
      connections.forgetTopic(topic);
    } else if (traceparent === undefined) placed.push({ topic, partition, key, value });
    else placed.push({ topic, partition, key, value, traceparent });
  }
  return { placed, unsent };
}

function partitionOf({ partition, key }: PublishRecord, led: readonly boolean[], turn: number): number {
  const count = led.length;
  if (partition === undefined) return partitionHash(Buffer.from(key ?? '')) % count;
  if (partition !== 'any') return partition;
  const first = turn % count;
  const next = led.indexOf(true, first);
  return next !== -1 ? next : Math.max(led.indexOf(true), 0);
}
