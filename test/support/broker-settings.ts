import { ConfigResourceTypes } from 'kafkajs';
import type { Brokers } from '#security/brokers.ts';
import { withKafkaAdmin } from './kafkajs.ts';
import { untilTrue } from './poll.ts';

/** Sets dynamic settings of a running broker; all others return to their values at its start. */
export async function changeBroker(
  brokers: Brokers,
  nodeId: number,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const broker = { type: ConfigResourceTypes.BROKER, name: String(nodeId) };
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
