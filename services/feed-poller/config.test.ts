import { expect, test } from 'vitest';
import { loadConfig, renderSettings, secretValues } from '#service/config.ts';
import { pollerConfig } from './config.ts';

const KAFKA = { KAFKA_BROKERS: 'localhost:9092', SCHEMA_REGISTRY_URL: 'http://localhost:8081' };
const PROVIDER = {
  PROVIDER_BASE_URL: 'https://provider/',
  PROVIDER_CLIENT_ID: '7',
  PROVIDER_SECRET_KEY: 'the-secret',
};

test('without a provider its credentials are optional', () => {
  const config = loadConfig(pollerConfig, KAFKA);
  expect(config).toMatchObject({ PROVIDER_BASE_URL: '', FOLLOW_SPORTS: [5], FOLLOW_SEASONS: [] });
  expect(secretValues(pollerConfig, config)).toEqual([]);
});

test('with a provider its credentials are required, and the secret is redacted', () => {
  expect(() => loadConfig(pollerConfig, { ...KAFKA, PROVIDER_BASE_URL: 'https://provider' })).toThrow(
    'PROVIDER_CLIENT_ID and PROVIDER_SECRET_KEY must be set too',
  );
  const config = loadConfig(pollerConfig, { ...KAFKA, ...PROVIDER });
  expect(config.PROVIDER_BASE_URL).toBe('https://provider');
  expect(secretValues(pollerConfig, config)).toEqual(['the-secret']);
});

test('ids are a list with commas', () => {
  const config = loadConfig(pollerConfig, { ...KAFKA, FOLLOW_SPORTS: '5, 1', FOLLOW_COMPETITIONS: '46' });
  expect(config).toMatchObject({ FOLLOW_SPORTS: [5, 1], FOLLOW_COMPETITIONS: [46] });
  expect(() => loadConfig(pollerConfig, { ...KAFKA, FOLLOW_SPORTS: ' ' })).toThrow('must name 1 at least');
  expect(() => loadConfig(pollerConfig, { ...KAFKA, FOLLOW_SEASONS: 'all' })).toThrow('must be ids');
});

test('every setting says what it is', () => {
  for (const line of renderSettings(pollerConfig).split('\n'))
    expect(line).toMatch(/^ {2}[A-Z_]+ +\S+.* .+\.$/);
});
