import { Admin } from '@platformatic/kafka';
import { addressesOf, type Brokers } from '#security/brokers.ts';

/** Bytes a second that the broker gives a client id, or takes from it; null: as many as it asks for. */
export type Quota = { readonly read?: number | null; readonly written?: number | null };

const KEYS = { read: 'consumer_byte_rate', written: 'producer_byte_rate' } as const;

/** Limits all clients of a name, as an operator of a shared cluster does. */
export async function limitClients(brokers: Brokers, clientId: string, quota: Quota): Promise<void> {
  const admin = new Admin({ bootstrapBrokers: [...addressesOf(brokers)], clientId: 'test-quotas' });
  const ops = (['read', 'written'] as const)
    .map((name) => ({ key: KEYS[name], value: quota[name] }))
    .flatMap(({ key, value }) => {
      if (value === undefined) return [];
      return [value === null ? ({ key, remove: true } as const) : ({ key, value, remove: false } as const)];
    });
  try {
    const entities = [{ entityType: 'client-id', entityName: clientId } as const];
    await admin.alterClientQuotas({ entries: [{ entities, ops }] });
  } finally {
    await admin.close();
  }
}
