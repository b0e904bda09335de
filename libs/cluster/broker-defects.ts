/** Detects brokers with the defect KAFKA-20734 (docs/known-issues.md). */

import type { Brokers } from '#security/brokers.ts';
import { apiVersionsV3 } from '#streams/client/platformatic/library.ts';
import { requestEach } from './access.ts';

/** The name of the defect in docs/known-issues.md and in the log. */
const CODE = 'KAFKA-20734';
const CLIENT = 'touchline-broker-defects';
const CLIENT_VERSION = '1';

/** Returns the brokers with a defect, and its effect and remedy in one line. Never rejects: a silent broker counts as unaffected. */
export async function findBrokerDefects(brokers: Brokers) {
  const found = await requestEach(brokers, (broker) =>
    apiVersionsV3.api.async(broker, CLIENT, CLIENT_VERSION),
  );
  const affected = [...(found ?? [])].flatMap(([address, versions]) =>
    versions !== undefined && losesTransactions(versions) ? [address] : [],
  );
  if (affected.length === 0) return [];
  const message = `${affected.join(', ')} runs Kafka 4.3 or later, and 4.3.0, 4.3.1 and 4.4.0 may leave transactions undecided when brokers restart (KAFKA-20734): Touchline repairs it for its own transactions when a partition is claimed; other transactional programs on this cluster are not protected. Use 4.2 or a release with the fix, see docs/known-issues.md`;
  return [{ code: CODE, brokers: affected, message }];
}

/** Logs a warning for each defect of the cluster. Never rejects. */
export async function logBrokerDefects(
  brokers: Brokers,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  for (const { message, ...fields } of await findBrokerDefects(brokers)) log.warn(fields, message);
}

/** Whether the code of a log line is one of `logBrokerDefects`. */
export function isBrokerDefect(code: string | undefined): boolean {
  return code === CODE;
}

const METADATA_VERSION = 'metadata.version';
/** 4.3-IV0. 4.2 also supports it with `unstable.feature.versions.enable`. */
const FIRST_METADATA_VERSION = 30;
const DESCRIBE_LOG_DIRS = 35;
/** Not in 4.2, whatever its settings. Other implementations of the protocol may have it without the level above. */
const FIRST_LOG_DIRS_VERSION = 5;

type Versions = Awaited<ReturnType<typeof apiVersionsV3.api.async>>;

/** Whether a broker runs 4.3 or later, as tested on 4.2.1, 4.3.0 and 4.3.1: no version names a release, nor one with the fix. */
function losesTransactions({ supportedFeatures, apiKeys }: Versions): boolean {
  const feature = supportedFeatures?.find(({ name }) => name === METADATA_VERSION);
  const logDirs = apiKeys.find(({ apiKey }) => apiKey === DESCRIBE_LOG_DIRS);
  return (
    (feature?.maxVersion ?? 0) >= FIRST_METADATA_VERSION &&
    (logDirs?.maxVersion ?? 0) >= FIRST_LOG_DIRS_VERSION
  );
}
