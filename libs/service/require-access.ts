import type { Brokers } from '#security/brokers.ts';
import { isServiceName } from '#topics/acls.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';

/** The configuration of a process, with its settings of connections if any. */
type ConnectionConfig = {
  readonly LOG_LEVEL: string;
  readonly KAFKA_BROKERS?: Brokers;
  readonly SCHEMA_REGISTRY_URL?: RegistryUrl;
  readonly TOPIC_PREFIX?: string;
};

/**
 * Checks that the brokers and the registry accept connections, and that the service has its rights and topics. Throws
 * `StreamError`, `RegistryUnavailableError` or `ServiceRightsError` for failures that retries cannot fix. Ignores brokers
 * and registries that do not answer: the first use retries.
 */
export async function requireAccess(service: string, config: ConnectionConfig): Promise<void> {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registry, TOPIC_PREFIX: prefix } = config;
  await Promise.all([
    brokers === undefined ? null : requireKafka(service, brokers, prefix),
    registry === undefined ? null : requireRegistryAccess(registry),
  ]);
}

// The modules are loaded on demand: not every process has brokers.
async function requireKafka(service: string, brokers: Brokers, prefix = ''): Promise<void> {
  const { requireKafkaAccess } = await import('#cluster/access.ts');
  if (!(await requireKafkaAccess(brokers)) || !isServiceName(service)) return;
  const { requireRights } = await import('#topics/require-rights.ts');
  await requireRights(brokers, prefix, service);
}

async function requireRegistryAccess(registry: RegistryUrl): Promise<void> {
  const http = await import('#topics/registry-http.ts');
  await http.requireRegistryAccess(registry);
}
