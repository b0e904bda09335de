import type { Brokers } from '#streams/client/brokers.ts';
import type { RegistryPlace } from '#topics/registry-address.ts';

/** The configuration of a process, with the settings of connections where it has some. */
type Places = {
  readonly LOG_LEVEL: string;
  readonly KAFKA_BROKERS?: Brokers;
  readonly SCHEMA_REGISTRY_URL?: RegistryPlace;
};

/**
 * Checks that the brokers and the registry accept connections. Throws `StreamError` or `RegistryUnavailableError` for wrong
 * credentials and certificates; what does not answer is for the first use to wait for.
 */
export async function requireAccess(config: Places): Promise<void> {
  const { KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registry } = config;
  await Promise.all([
    brokers === undefined ? null : requireKafka(brokers),
    registry === undefined ? null : requireRegistry(registry),
  ]);
}

// Loaded when needed: not every process has brokers.
async function requireKafka(brokers: Brokers): Promise<void> {
  const { requireKafkaAccess } = await import('#streams/client/platformatic/access.ts');
  await requireKafkaAccess(brokers);
}

async function requireRegistry(place: RegistryPlace): Promise<void> {
  const { requireRegistryAccess } = await import('#topics/registry-http.ts');
  await requireRegistryAccess(place);
}
