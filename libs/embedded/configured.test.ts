import { expect, test } from 'vitest';
import { configured } from './configured.ts';

const URL = 'http://registry:8080/apis/ccompat/v7';

test('returns undefined if neither setting is set', () => {
  expect(configured({})).toBeUndefined();
  expect(configured({ KAFKA_BROKERS: ' ', SCHEMA_REGISTRY_URL: '' })).toBeUndefined();
});

test('returns brokers and registry if both are set', () => {
  expect(configured({ KAFKA_BROKERS: 'one:9092, two:9093,', SCHEMA_REGISTRY_URL: `${URL}/` })).toEqual({
    addresses: { brokers: ['one:9092', 'two:9093'], registryUrl: URL },
    shown: `one:9092,two:9093 and ${URL}`,
  });
});

test('uses a password in an address but does not show it', () => {
  const url = 'https://me:hidden@registry/v7?token=hidden';
  const given = configured({ KAFKA_BROKERS: 'one:9092', SCHEMA_REGISTRY_URL: url });
  expect(given?.addresses.registryUrl).toBe(url);
  expect(given?.shown).toBe('one:9092 and https://registry/v7');
});

test.each([
  [{ KAFKA_BROKERS: 'one:9092' }, 'KAFKA_BROKERS is set but SCHEMA_REGISTRY_URL is not: set both or none'],
  [{ SCHEMA_REGISTRY_URL: URL }, 'SCHEMA_REGISTRY_URL is set but KAFKA_BROKERS is not: set both or none'],
  [
    { KAFKA_BROKERS: 'one', SCHEMA_REGISTRY_URL: URL },
    'KAFKA_BROKERS is not a list of host:port with commas between them',
  ],
  [
    { KAFKA_BROKERS: 'kafka://one:9092', SCHEMA_REGISTRY_URL: URL },
    'KAFKA_BROKERS is not a list of host:port with commas between them',
  ],
  [
    { KAFKA_BROKERS: 'one:9092', SCHEMA_REGISTRY_URL: 'registry:8080' },
    'SCHEMA_REGISTRY_URL is not an http or https address',
  ],
])('rejects %o', (env, message) => {
  expect(() => configured(env)).toThrow(expect.objectContaining({ code: 'CONFIG_INCOMPLETE', message }));
});
