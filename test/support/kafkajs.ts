import { Kafka, logLevel } from 'kafkajs';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Returns a kafkajs client: another program on the same cluster. */
export function createKafka({ brokers, clientId }: { brokers: Brokers; clientId: string }): Kafka {
  return new Kafka({
    brokers: [...addressesOf(brokers)],
    clientId,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 10 },
  });
}
