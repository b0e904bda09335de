import { expect, test } from 'vitest';
import { loadConfig, secretValues } from '#service/config.ts';
import { settings } from './config.ts';

const KAFKA = { KAFKA_BROKERS: 'localhost:9092', SCHEMA_REGISTRY_URL: 'http://localhost:8081' };
const PROVIDER = {
  PROVIDER_BASE_URL: 'https://provider/',
  PROVIDER_CLIENT_ID: '7',
  PROVIDER_SECRET_KEY: 'the-secret',
};

test('needs no credentials without a provider', () => {
  const config = loadConfig(settings, KAFKA);
  expect(config).toMatchObject({ PROVIDER_BASE_URL: '', FOLLOW_SPORTS: [5], FOLLOW_SEASONS: [] });
  expect(secretValues(settings, config)).toEqual([]);
});

test('requires credentials with a provider, and redacts the secret', () => {
  expect(() => loadConfig(settings, { ...KAFKA, PROVIDER_BASE_URL: 'https://provider' })).toThrow(
    'PROVIDER_CLIENT_ID and PROVIDER_SECRET_KEY must be set too',
  );
  const config = loadConfig(settings, { ...KAFKA, ...PROVIDER });
  expect(config.PROVIDER_BASE_URL).toBe('https://provider');
  expect(secretValues(settings, config)).toEqual(['the-secret']);
});

test('reads ids as a list with commas', () => {
  const config = loadConfig(settings, { ...KAFKA, FOLLOW_SPORTS: '5, 1', FOLLOW_COMPETITIONS: '46' });
  expect(config).toMatchObject({ FOLLOW_SPORTS: [5, 1], FOLLOW_COMPETITIONS: [46] });
  expect(() => loadConfig(settings, { ...KAFKA, FOLLOW_SPORTS: ' ' })).toThrow('must name 1 at least');
  expect(() => loadConfig(settings, { ...KAFKA, FOLLOW_SEASONS: 'all' })).toThrow('must be ids');
});
