import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LONE_BROKER, registryEnvironment } from './settings.ts';
import { KAFKA_IMAGE, kafkaVariable, REGISTRY_IMAGE } from './testing/settings.ts';

test('maps settings to the variables of the Kafka image', () => {
  expect(kafkaVariable('offsets.topic.replication.factor')).toBe('KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR');
  expect(kafkaVariable('a-b_c.d')).toBe('KAFKA_A___B__C_D');
});

const read = (...path: string[]) => readFile(join(import.meta.dirname, ...path), 'utf8');

test('uses the same versions embedded, in test containers and in Docker Compose', async () => {
  const pom = await read('pom.xml');
  const compose = await read('..', '..', 'docker-compose.yml');
  const version = (name: string) => new RegExp(`<${name}.version>(.+?)<`).exec(pom)?.[1];
  expect(KAFKA_IMAGE).toBe(`apache/kafka:${version('kafka')}`);
  expect(REGISTRY_IMAGE).toBe(`apicurio/apicurio-registry:${version('registry')}`);
  expect(compose).toContain(`image: ${KAFKA_IMAGE}\n`);
  expect(compose).toContain(`image: ${REGISTRY_IMAGE}\n`);
});

test('configures broker and registry in Docker Compose like the embedded ones', async () => {
  const compose = await read('..', '..', 'docker-compose.yml');
  const variables = Object.entries(LONE_BROKER).map(([key, value]) => [kafkaVariable(key), value]);
  for (const [name, value] of [...variables, ...Object.entries(registryEnvironment(['kafka:19092']))]) {
    expect(compose).toMatch(new RegExp(`^ +${name}: '?${value}'?$`, 'm'));
  }
});
