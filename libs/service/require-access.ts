import type { Brokers } from '#security/brokers.ts';
import { isServiceName } from '#topics/acls.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';

/** The configuration of a process, with the settings of connections where it has some. */
type Places = {
  readonly LOG_LEVEL: string;
  readonly KAFKA_BROKERS?: Brokers;
  readonly SCHEMA_REGISTRY_URL?: RegistryUrl;
  readonly TOPIC_PREFIX?: string;
};

/**
 * Checks that the brokers and the registry accept connections, and that the service has its rights and its topics. Throws
 * `StreamError`, `RegistryUnavailableError` or `ServiceRightsError` for what waiting does not mend; what does not answer is
 * for the first use to wait for.
 */
export async function requireAccess(service: string, config: Places): Promise<void> {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registry, TOPIC_PREFIX: prefix } = config;
  await Promise.all([
    brokers === undefined ? null : requireKafka(service, brokers, prefix),
    registry === undefined ? null : requireRegistry(registry),
  ]);
}

// Loaded when needed: not every process has brokers.
async function requireKafka(service: string, brokers: Brokers, prefix = ''): Promise<void> {
  const { requireKafkaAccess } = await import('#cluster/access.ts');
  if (!(await requireKafkaAccess(brokers)) || !isServiceName(service)) return;
  const { requireRights } = await import('#topics/require-rights.ts');
  await requireRights(brokers, prefix, service);
}

async function requireRegistry(place: RegistryUrl): Promise<void> {
  const { requireRegistryAccess } = await import('#topics/registry-http.ts');
  await requireRegistryAccess(place);
}
