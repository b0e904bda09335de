import { type Brokers, brokersAt, shownBrokers } from '#security/brokers.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { BrokerConnections, metadataOf } from '#streams/client/platformatic/connections.ts';
import { type Connection, listGroupsV4 } from '#streams/client/platformatic/library.ts';
import { accessError } from '#streams/client/platformatic/security.ts';
import type { StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';

const CLIENT_ID = 'touchline-access';
/** Errors that another attempt to connect does not resolve. */
const DENIALS: ReadonlySet<string> = new Set([
  'AUTHENTICATION_FAILED',
  'CERTIFICATE_UNTRUSTED',
  'TLS_REQUIRED',
] satisfies StreamError['code'][]);

/** Returns whether a broker responded. Throws `StreamError` when none accepts the connection and one refuses it for good. */
export function requireKafkaAccess(brokers: Brokers): Promise<boolean> {
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    try {
      // Sends a request too: with TLS 1.3 a broker refuses a client certificate after the handshake.
      await metadataOf(await connections.any(), []);
      return true;
    } catch (error) {
      const shown = shownBrokers(brokers);
      const denial =
        accessError(brokers, shown, connections.lastError) ?? accessError(brokers, shown, error) ?? error;
      if (denial instanceof StreamError && DENIALS.has(denial.code)) throw denial;
      return false;
    }
  });
}

/** Sends a request to the first broker that accepts a connection. Resolves with undefined when anything fails. */
async function requestAny<T>(
  brokers: Brokers,
  request: (broker: Connection) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withConnections(brokers, CLIENT_ID, async (connections) => request(await connections.any()));
  } catch {
    return undefined;
  }
}

/** Sends a request to each broker. Resolves with the responses by address, undefined where one is missing. Never rejects. */
export async function requestEach<T>(
  brokers: Brokers,
  request: (broker: Connection) => Promise<T>,
): Promise<ReadonlyMap<string, T | undefined> | undefined> {
  const cluster = await requestAny(brokers, (broker) => metadataOf(broker, []));
  if (cluster === undefined) return undefined;
  return new Map(
    await Promise.all(
      cluster.brokers.map(async ({ host, port }) => {
        const address = `${host}:${port}`;
        return [address, await requestAny(brokersAt(brokers, [address]), request)] as const;
      }),
    ),
  );
}

/** Returns the cluster's id; null until a broker responds that knows the brokers and a controller. Never rejects. */
export async function readyClusterId(brokers: Brokers): Promise<string | null> {
  const cluster = await requestAny(brokers, (broker) => metadataOf(broker, []));
  const isReady = cluster !== undefined && cluster.brokers.length > 0 && cluster.controllerId >= 0;
  return isReady ? (cluster.clusterId ?? null) : null;
}

/** Returns the groups that have members. Rejects with `StreamError` UNAVAILABLE while a broker is silent: it may have more of them. */
export async function groupsWithMembers(brokers: Brokers): Promise<string[]> {
  const found = await requestEach(brokers, (broker) => listGroupsV4.api.async(broker, [], []));
  if (found === undefined) throw new StreamError('UNAVAILABLE', 'list groups: no broker responds');
  return [...found]
    .flatMap(([address, list]) => {
      if (list !== undefined) return list.groups;
      throw new StreamError('UNAVAILABLE', `list groups: ${address} does not respond`);
    })
    .filter(({ groupState }) => groupState !== 'Empty' && groupState !== 'Dead')
    .map(({ groupId }) => groupId);
}

export { BrokerConnections };

/** Opens connections to a cluster, calls `use` and closes the connections. Rejects as `use`. */
export function withConnections<T>(
  brokers: Brokers,
  clientId: string,
  use: (connections: BrokerConnections) => Promise<T>,
): Promise<T> {
  return closing(new BrokerConnections(brokers, clientId), use);
}

/** Opens a stream client, calls `use` and closes the client. Rejects as `use`. */
export function withStreamClient<T>(
  brokers: Brokers,
  clientId: string,
  use: (client: StreamClient) => Promise<T>,
): Promise<T> {
  return closing(openStreamClient({ brokers, clientId }), use);
}

async function closing<C extends { close(): Promise<void> }, T>(
  opened: C,
  use: (of: C) => Promise<T>,
): Promise<T> {
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}
