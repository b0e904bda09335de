/** Settings of brokers and containers in tests. */
import { KAFKA_VERSION } from '../settings.ts';

/** Images of the versions in pom.xml. docker-compose.yml also names them; a test compares the three. */
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
export const REGISTRY_IMAGE = 'apicurio/apicurio-registry:3.0.9';

/**
 * Settings of tests that kill a broker: the controller fences a silent broker after 1.5 s instead of 9 s, which a restart
 * after SIGKILL waits for. Only for tests: a broker under load would be declared dead too soon.
 */
export const QUICK_REJOIN: Readonly<Record<string, string>> = {
  'broker.session.timeout.ms': '1500',
  'broker.heartbeat.interval.ms': '300',
};

/** Returns the environment variable of the Kafka image for a broker setting. */
export function kafkaVariable(setting: string): string {
  return `KAFKA_${setting.toUpperCase().replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_')}`;
}
