import { type Brokers, brokersAt, shownBrokers } from '#security/brokers.ts';
import { metadataOf } from '#streams/client/platformatic/connections.ts';
import type { Connection } from '#streams/client/platformatic/library.ts';
import { accessError } from '#streams/client/platformatic/security.ts';
import { StreamError } from '#streams/errors.ts';
import { withConnections } from './connections.ts';

const CLIENT_ID = 'touchline-access';
/** Errors that another attempt to connect does not resolve. */
const DENIALS: ReadonlySet<string> = new Set([
  'AUTHENTICATION_FAILED',
  'CERTIFICATE_UNTRUSTED',
  'TLS_REQUIRED',
] satisfies StreamError['code'][]);

/**
 * Connects once, and returns whether a broker responded. Throws `StreamError` when no broker accepts the connection, and one refuses
 * its credentials or shows an untrusted certificate: waiting would not help. Does not wait for a broker that does not respond.
 */
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
export async function requestAny<T>(
  brokers: Brokers,
  request: (broker: Connection) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withConnections(brokers, CLIENT_ID, async (connections) => request(await connections.any()));
  } catch {
    return undefined;
  }
}

/**
 * Sends a request to each broker of a cluster. Resolves with the responses by address, undefined where the request failed; with
 * undefined when no broker responds. Never rejects.
 */
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
