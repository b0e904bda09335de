import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { BrokerConnections, metadataOf } from '#streams/client/platformatic/connections.ts';
import type { Connection } from '#streams/client/platformatic/library.ts';
import { accessError } from '#streams/client/platformatic/security.ts';
import { StreamError } from '#streams/errors.ts';

const CLIENT_ID = 'touchline-access';
/** Errors that repeating the connection does not mend. */
const DENIALS: ReadonlySet<string> = new Set([
  'AUTHENTICATION_FAILED',
  'CERTIFICATE_UNTRUSTED',
  'TLS_REQUIRED',
] satisfies StreamError['code'][]);

/**
 * Connects once and says whether a broker answered, so that what waiting does not mend is said at once: throws `StreamError` where no broker accepts the
 * connection and one refuses its credentials, or shows a certificate that is not trusted. Brokers that do not answer are
 * for the first use to wait for.
 */
export async function requireKafkaAccess(brokers: Brokers): Promise<boolean> {
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    // A request too: with TLS 1.3 a client's certificate is refused after the handshake.
    await metadataOf(await connections.any(), []);
    return true;
  } catch (error) {
    const at = shownBrokers(brokers);
    const denied =
      accessError(brokers, at, connections.lastError) ?? accessError(brokers, at, error) ?? error;
    if (denied instanceof StreamError && DENIALS.has(denied.code)) throw denied;
    return false;
  } finally {
    await connections.close();
  }
}

/** The answer of the first of these brokers that accepts a connection; undefined where it does not answer. */
export async function askAny<T>(
  brokers: Brokers,
  request: (broker: Connection) => Promise<T>,
): Promise<T | undefined> {
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    return await request(await connections.any());
  } catch {
    return undefined;
  } finally {
    await connections.close();
  }
}

/** The id of the cluster of these brokers, once one that answers knows itself and a controller; null before. Never rejects. */
export async function readyClusterId(brokers: Brokers): Promise<string | null> {
  const cluster = await askAny(brokers, (broker) => metadataOf(broker, []));
  const isReady = cluster !== undefined && cluster.brokers.length > 0 && cluster.controllerId >= 0;
  return isReady ? (cluster.clusterId ?? null) : null;
}
