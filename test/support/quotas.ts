import { Admin } from '@platformatic/kafka';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Kind of a broker's quota, in bytes a second: for fetched or for produced data. */
type ByteRate = 'consumer_byte_rate' | 'producer_byte_rate';

/** Sets a quota for all clients with a name, as an operator of a shared cluster does; null removes it. */
export async function limitClients(
  brokers: Brokers,
  clientId: string,
  key: ByteRate,
  value: number | null,
): Promise<void> {
  const admin = new Admin({ bootstrapBrokers: [...addressesOf(brokers)], clientId: 'test-quotas' });
  const op = value === null ? ({ key, remove: true } as const) : ({ key, value, remove: false } as const);
  try {
    const entities = [{ entityType: 'client-id', entityName: clientId } as const];
    await admin.alterClientQuotas({ entries: [{ entities, ops: [op] }] });
  } finally {
    await admin.close();
  }
}
