/** Which brokers of a cluster have the defect; docs/known-issues.md says what it does. */
import { addressesOf, type Brokers } from '#security/brokers.ts';
import { apiVersionsV3, Connection, metadataV12 } from '#streams/client/platformatic/library.ts';
import { connectionSecurity } from '#streams/client/platformatic/security.ts';

/** The name of a defect there, and in the log. */
type BrokerDefectCode = (typeof CODES)[number];

const CODES = ['KAFKA-20734'] as const;

/** A defect of brokers of a cluster. */
export type BrokerDefect = {
  readonly code: BrokerDefectCode;
  /** The affected brokers, host:port. */
  readonly brokers: readonly string[];
  /** One line for the operator: the effect, and what to do. */
  readonly message: string;
};

const CLIENT_ID = 'touchline-broker-defects';
const CLIENT_VERSION = '1';
const CONNECT_MS = 3_000;
const REQUEST_MS = 5_000;

/**
 * Asks every broker of a cluster and returns the defects found. Never rejects: a broker that does not answer within
 * seconds counts as unknown, and no start depends on it.
 */
export async function findBrokerDefects(brokers: Brokers): Promise<BrokerDefect[]> {
  const members = await membersOf(brokers);
  const found = await Promise.all(
    members.map(async (broker) => {
      const versions = await ask(brokers, broker, (connection) =>
        apiVersionsV3.api.async(connection, CLIENT_ID, CLIENT_VERSION),
      );
      return versions !== undefined && losesTransactions(versions) ? [broker] : [];
    }),
  );
  const affected = found.flat();
  if (affected.length === 0) return [];
  const message = `${affected.join(', ')} runs Kafka 4.3 or later, and 4.3.0, 4.3.1 and 4.4.0 may leave transactions undecided when brokers restart (KAFKA-20734): Touchline repairs it for its own transactions when a partition is claimed; other transactional programs on this cluster are not protected. Use 4.2 or a release with the fix, see docs/known-issues.md`;
  return [{ code: 'KAFKA-20734', brokers: affected, message }];
}

/** Logs a warning for each defect of the cluster. Never rejects. */
export async function warnOfBrokerDefects(
  brokers: Brokers,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  for (const { code, brokers: affected, message } of await findBrokerDefects(brokers))
    log.warn({ code, brokers: affected }, message);
}

/** Whether the code of a log line is one of `warnOfBrokerDefects`. */
export function isBrokerDefect(code: string | undefined): boolean {
  return CODES.some((known) => known === code);
}

const METADATA_VERSION = 'metadata.version';
/** 4.3-IV0. 4.2 also supports it with `unstable.feature.versions.enable`. */
const FIRST_METADATA_VERSION = 30;
const DESCRIBE_LOG_DIRS = 35;
/** Not in 4.2, whatever its settings. Other implementations of the protocol may have it without the level above. */
const FIRST_LOG_DIRS_VERSION = 5;

type Versions = Awaited<ReturnType<typeof apiVersionsV3.api.async>>;

/**
 * KAFKA-20734. The protocol does not name a broker's release. Both of these together distinguish 4.3 and later, as
 * seen on 4.2.1, 4.3.0 and 4.3.1 (by its classes 4.4.0 answers as 4.3 does). Nothing identifies a release with the fix.
 */
function losesTransactions({ supportedFeatures, apiKeys }: Versions): boolean {
  const feature = supportedFeatures?.find(({ name }) => name === METADATA_VERSION);
  const logDirs = apiKeys.find(({ apiKey }) => apiKey === DESCRIBE_LOG_DIRS);
  return (
    (feature?.maxVersion ?? 0) >= FIRST_METADATA_VERSION &&
    (logDirs?.maxVersion ?? 0) >= FIRST_LOG_DIRS_VERSION
  );
}

/** The brokers of the cluster, by the first broker that answers. */
async function membersOf(brokers: Brokers): Promise<string[]> {
  for (const broker of addressesOf(brokers)) {
    const metadata = await ask(brokers, broker, (connection) =>
      metadataV12.api.async(connection, [], false, false),
    );
    if (metadata !== undefined) return metadata.brokers.map(({ host, port }) => `${host}:${port}`);
  }
  return [];
}

/** The answer of a broker, host:port; undefined where it does not answer. */
async function ask<T>(
  brokers: Brokers,
  broker: string,
  request: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  const colon = broker.lastIndexOf(':');
  const host = broker.slice(0, colon).replace(/^\[|\]$/g, '');
  let connection: Connection | undefined;
  try {
    connection = new Connection(CLIENT_ID, {
      connectTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      ...connectionSecurity(brokers, host),
    });
    // Closing rejects requests under way with it; an error event without a listener would end the process.
    connection.on('error', () => {});
    await connection.connect(host, Number(broker.slice(colon + 1)));
    return await request(connection);
  } catch {
    return undefined;
  } finally {
    await connection?.close().catch(() => {});
  }
}
