import type { Brokers } from '#security/brokers.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import type { StreamClient } from '#streams/client/port.ts';

export { BrokerConnections };

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

/** Opens a stream client, calls `use` and closes the client. Rejects as `use`. */
export async function withStreamClient<T>(
  brokers: Brokers,
  clientId: string,
  use: (client: StreamClient) => Promise<T>,
): Promise<T> {
  const client = openStreamClient({ brokers, clientId });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
