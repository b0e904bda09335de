import { Admin } from '@platformatic/kafka';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Calls `work` with the library's admin: for requests that `libs/cluster` does not make, over plain connections. */
export async function withAdmin<T>(brokers: Brokers, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ bootstrapBrokers: [...addressesOf(brokers)], clientId: 'test-admin' });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}
