import { type Admin, Kafka, logLevel } from 'kafkajs';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Another client than that of the tree: for what this one does not do, and for what other programs do. */
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

/** Calls `work` with that client's administration, connected meanwhile. */
export async function withKafkaAdmin<T>(brokers: Brokers, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafka({ brokers, clientId: 'test-admin' }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
