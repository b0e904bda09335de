import { expect, test } from 'vitest';
import { loadConfig } from '#service/config.ts';
import { settings } from './config.ts';

const SECRET = 's'.repeat(32);
const NEEDED = {
  KAFKA_BROKERS: 'localhost:9092',
  SCHEMA_REGISTRY_URL: 'http://localhost:8081',
  WEBHOOK_SECRET: SECRET,
};
const load = (given: Record<string, string> = {}) => loadConfig(settings, { ...NEEDED, ...given });

test('has defaults for all settings but the secret and the addresses', () => {
  expect(load()).toMatchObject({
    WEBHOOK_PORT: 8080,
    WEBHOOK_SECRET: [SECRET],
    BODY_LIMIT: 5 * 1024 * 1024,
    PATIENCE_MS: 8000,
    WEBHOOK_MAX_CONNECTIONS: 1024,
    WEBHOOK_MAX_UNPROVEN_BYTES: 64 * 1024 * 1024,
  });
});

test('accepts two secrets and rejects three', () => {
  expect(load({ WEBHOOK_SECRET: `${SECRET},${'t'.repeat(32)}` }).WEBHOOK_SECRET).toHaveLength(2);
  expect(() => load({ WEBHOOK_SECRET: [SECRET, SECRET, SECRET].join() })).toThrow(
    /WEBHOOK_SECRET: must be one secret/,
  );
});

test.each(['short', `${SECRET}x`, `${SECRET},short`])(
  'rejects a secret of another length without printing it: %s',
  (secret) => {
    const refused = () => load({ WEBHOOK_SECRET: secret });
    expect(refused).toThrow(/WEBHOOK_SECRET: must have exactly 32 characters/);
    expect(refused).not.toThrow(secret);
  },
);

test('rejects a body limit above that of the topic, and a timeout above the sender’s', () => {
  expect(() => load({ BODY_LIMIT: String(8 * 1024 * 1024) })).toThrow(/BODY_LIMIT/);
  expect(() => load({ PATIENCE_MS: '10000' })).toThrow(/PATIENCE_MS/);
});

test('requires room for the largest body', () => {
  const minimum = 2 * 5 * 1024 * 1024;
  expect(load({ WEBHOOK_MAX_UNPROVEN_BYTES: String(minimum) })).toBeDefined();
  expect(() => load({ WEBHOOK_MAX_UNPROVEN_BYTES: String(minimum - 1) })).toThrow(
    /WEBHOOK_MAX_UNPROVEN_BYTES: must be at least 10485760: twice BODY_LIMIT/,
  );
});
