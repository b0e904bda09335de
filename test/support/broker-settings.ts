import { alterConfigsV2, ConfigResourceTypes } from '@platformatic/kafka';
import { withConnections } from '#cluster/access.ts';
import type { Brokers } from '#security/brokers.ts';
import { withAdmin } from './admin.ts';
import { untilTrue } from './poll.ts';

/** Sets dynamic settings of a running broker; all others return to their values at its start. */
export async function changeBroker(
  brokers: Brokers,
  nodeId: number,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const broker = { resourceType: ConfigResourceTypes.BROKER, resourceName: String(nodeId) };
  const configs = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await withAdmin(brokers, async (admin) => {
    const node = (await admin.metadata({ topics: [] })).brokers.get(nodeId);
    // Only this broker accepts the request, and the admin refuses to send no settings.
    await withConnections([`${node?.host}:${node?.port}`], 'test-admin', async (connections) =>
      alterConfigsV2.api.async(await connections.any(), [{ ...broker, configs }], false),
    );
    await untilTrue('the broker has its settings', async () => {
      const [found] = await admin.describeConfigs({ resources: [broker] });
      return configs.every(({ name, value }) =>
        found?.configs.some((config) => config.name === name && config.value === value),
      );
    });
  });
}

/** Kind of a broker's quota, in bytes a second: for fetched or for produced data. */
type ByteRate = 'consumer_byte_rate' | 'producer_byte_rate';

/** Sets a quota for all clients with a name, as an operator of a shared cluster does. */
export async function limitClients(
  brokers: Brokers,
  clientId: string,
  key: ByteRate,
  value: number,
): Promise<void> {
  const op = { key, value, remove: false } as const;
  const entities = [{ entityType: 'client-id', entityName: clientId } as const];
  await withAdmin(brokers, (admin) => admin.alterClientQuotas({ entries: [{ entities, ops: [op] }] }));
}
