import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { sleep } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import { parseRegistryAddress, type RegistryUrl, requireRegistryAccess } from '#topics/registry-http.ts';
import type { Logger } from './logger.ts';

/** The configuration of a process, with its settings of connections if any. */
type ConnectionConfig = {
  readonly LOG_LEVEL: string;
  readonly KAFKA_BROKERS?: Brokers;
  readonly SCHEMA_REGISTRY_URL?: RegistryUrl;
  readonly TOPIC_PREFIX?: string;
};

type AccessOptions = {
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly signal: AbortSignal;
  /** Default 3,000 and 30,000. */
  readonly warnAfterMs?: number;
  readonly waitMs?: number;
};

const WARN_AFTER_MS = 3_000;
const WAIT_MS = 30_000;
const RETRY_MS = 500;

/** Waits until a broker and the registry answer, and checks rights and topics of these services. Throws what retries cannot fix. */
export async function requireAccess(
  services: readonly string[],
  { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registry, TOPIC_PREFIX: prefix = '' }: ConnectionConfig,
  options: AccessOptions,
): Promise<void> {
  await Promise.all([
    brokers === undefined ? null : requireKafka(services, { brokers, prefix }, options),
    registry === undefined ? null : requireRegistry(registry, options),
  ]);
}

// The modules are loaded on demand: not every process has brokers.
async function requireKafka(
  services: readonly string[],
  { brokers, prefix }: { readonly brokers: Brokers; readonly prefix: string },
  options: AccessOptions,
): Promise<void> {
  const { requireKafkaAccess } = await import('#cluster/access.ts');
  const { StreamError } = await import('#streams/errors.ts');
  const silent = await silence(
    `no broker answers at ${shownBrokers(brokers)}`,
    () => requireKafkaAccess(brokers),
    options,
  );
  if (silent !== null) throw new StreamError('UNAVAILABLE', silent);
  if (options.signal.aborted) return;
  const { isServiceName } = await import('#topics/acls.ts');
  const { requireRights, watchTopics } = await import('#topics/required-topics.ts');
  const names = services.filter(isServiceName);
  await Promise.all(names.map((one) => requireRights(brokers, prefix, one)));
  await watchTopics(names, { brokers, prefix }, options);
}

async function requireRegistry(registry: RegistryUrl, options: AccessOptions): Promise<void> {
  const { RegistryUnavailableError } = await import('#topics/errors.ts');
  const { url } = parseRegistryAddress(registry);
  const silent = await silence(
    `no schema registry answers at ${url}`,
    () => requireRegistryAccess(registry),
    options,
  );
  if (silent !== null) throw new RegistryUnavailableError('REGISTRY_UNAVAILABLE', url, silent, undefined);
}

/** Calls `ask` until it resolves with true or the signal is aborted: null. Returns `what`, with the time, when that takes too long. */
async function silence(
  what: string,
  ask: () => Promise<boolean>,
  { logger, signal, warnAfterMs = WARN_AFTER_MS, waitMs = WAIT_MS }: AccessOptions,
): Promise<string | null> {
  const seconds = waitMs / 1_000;
  const warning = setTimeout(() => logger.warn(`${what}: waiting for ${seconds} s`), warnAfterMs);
  const answered = poll(ask, { timeoutMs: waitMs, everyMs: RETRY_MS, signal });
  // A request to a port that accepts and never answers may take longer than there is time.
  const isAnswered = await Promise.race([answered, sleep(waitMs, signal)]).finally(() =>
    clearTimeout(warning),
  );
  return isAnswered === true || signal.aborted ? null : `${what} within ${seconds} s`;
}
