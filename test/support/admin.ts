import { Admin } from '@platformatic/kafka';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Timeout on the broker of a change; below the client's own timeout. The default of 5 s is too short on a busy machine. */
const TIMEOUT_MS = 25_000;

/** Calls `work` with the library's admin: for requests that `libs/cluster` does not make, over plain connections. */
export async function withAdmin<T>(brokers: Brokers, work: (admin: Admin) => Promise<T>): Promise<T> {
  const bootstrapBrokers = [...addressesOf(brokers)];
  const admin = new Admin({ bootstrapBrokers, clientId: 'test-admin', timeout: TIMEOUT_MS });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}
