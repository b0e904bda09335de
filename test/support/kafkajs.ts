import { type Admin, Kafka, logLevel } from 'kafkajs';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Returns a kafkajs client: for functions that the tree's client lacks, and to stand for other programs. */
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

/** Calls `work` with a connected kafkajs admin. */
export async function withKafkaAdmin<T>(brokers: Brokers, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafka({ brokers, clientId: 'test-admin' }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
