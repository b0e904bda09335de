import { Kafka, logLevel } from 'kafkajs';
import type { Brokers } from '#streams/client/brokers.ts';
import { connectionOptions } from '#streams/client/kafkajs/security.ts';

/** A client beside those of the tree: for what they do not do, and for what other programs do. */
export function createKafka({ brokers, clientId }: { brokers: Brokers; clientId: string }): Kafka {
  return new Kafka({
    ...connectionOptions(brokers),
    clientId,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 10 },
  });
}
