import { setTimeout as delay } from 'node:timers/promises';
import { initProducerIdV4 } from '@platformatic/kafka';
import type { BatchProducer, PublishRecord } from '../../publish/publisher.ts';
import { partitionHash } from '../murmur2.ts';
import { type BatchRecord, splitRounds } from '../rounds.ts';
import { Connections } from './connections.ts';
import { toStreamError } from './errors.ts';
import { retryTransient } from './retry.ts';
import { RoundSender } from './round-sender.ts';

/** Of no meaning to a producer without transactions, but the request has it. */
const NO_TRANSACTION_TIMEOUT = 0;
/** How long a close waits for the broker: one that hangs never answers. */
const CLOSE_MS = 1_000;
const TURNS = 1_000n;

/** An idempotent producer straight on the protocol. Rejects with `StreamError`. */
export async function openBatchProducer(
  brokers: readonly string[],
  clientId: string,
): Promise<BatchProducer> {
  const connections = new Connections(brokers, clientId);
  const close = async (): Promise<void> => {
    await Promise.race([connections.close(), delay(CLOSE_MS, undefined, { ref: false })]);
  };
  try {
    const { producerId, producerEpoch } = await retryTransient(async () =>
      initProducerIdV4.api.async(await connections.any(), null, NO_TRANSACTION_TIMEOUT),
    );
    const identity = { transactionalId: null, id: producerId, epoch: producerEpoch };
    const sender = new RoundSender(connections, identity, true);
    // Each request goes to the next one; producers begin at different ones.
    let turn = Number(producerId % TURNS);
    return {
      close,
      async send(records) {
        turn += 1;
        try {
          await sender.send(splitRounds(await placed(records, connections, turn)));
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

/** The records with their partitions: the one they name, that of their key, or for those that may go anywhere that of the turn. */
async function placed(
  records: readonly PublishRecord[],
  connections: Connections,
  turn: number,
): Promise<readonly BatchRecord[]> {
  const topics = new Set(records.map(({ topic }) => topic));
  const counts = new Map<string, number>();
  for (const topic of topics) counts.set(topic, await connections.partitionCount(topic));
  return records.map(({ topic, partition, key, value }) => {
    const count = counts.get(topic) ?? 1;
    if (partition === 'any') return { topic, partition: turn % count, key, value };
    return { topic, partition: partition ?? partitionHash(Buffer.from(key ?? '')) % count, key, value };
  });
}
