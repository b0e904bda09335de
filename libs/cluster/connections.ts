import type { Brokers } from '#security/brokers.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';

/** Opens connections to a cluster, calls `use` and closes the connections. Rejects as `use`. */
export async function withConnections<T>(
  brokers: Brokers,
  clientId: string,
  use: (connections: BrokerConnections) => Promise<T>,
): Promise<T> {
  const connections = new BrokerConnections(brokers, clientId);
  try {
    return await use(connections);
  } finally {
    await connections.close();
  }
}
