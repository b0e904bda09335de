/** Settings of the brokers and the containers of tests. */
import { KAFKA_VERSION } from '../settings.ts';

/** Images of the versions in pom.xml; docker-compose.yml names them too, and a test compares the three. */
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
export const REGISTRY_IMAGE = 'apicurio/apicurio-registry:3.0.9';

/**
 * Settings of tests that kill a broker: the controller fences a silent broker after 1.5 s instead of 9 s, the wait of a
 * start after SIGKILL. Not for use: a machine under load would be declared dead too soon.
 */
export const QUICK_REJOIN: Readonly<Record<string, string>> = {
  'broker.session.timeout.ms': '1500',
  'broker.heartbeat.interval.ms': '300',
};

/** The environment variable of the Kafka image for a broker setting. */
export function kafkaVariable(setting: string): string {
  return `KAFKA_${setting.toUpperCase().replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_')}`;
}
