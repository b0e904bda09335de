import { Admin } from '@platformatic/kafka';
import kafkajs from 'kafkajs';
import { addressesOf, type Brokers } from '#security/brokers.ts';
import { withKafkaAdmin } from './kafkajs.ts';
import { untilTrue } from './poll.ts';

/** Sets dynamic settings of a running broker; all others return to their values at its start. */
export async function changeBroker(
  brokers: Brokers,
  nodeId: number,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const broker = { type: kafkajs.ConfigResourceTypes.BROKER, name: String(nodeId) };
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const configNames = Object.keys(settings);
  await withKafkaAdmin(brokers, async (admin) => {
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...broker, configEntries }] });
    await untilTrue('the broker has its settings', async () => {
      const { resources } = await admin.describeConfigs({
        resources: [{ ...broker, configNames }],
        includeSynonyms: false,
      });
      const found = resources[0]?.configEntries ?? [];
      return configNames.every((name) =>
        found.some(({ configName, configValue }) => configName === name && configValue === settings[name]),
      );
    });
  });
}

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
