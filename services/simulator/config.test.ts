import { expect, test } from 'vitest';
import { loadConfig, secretValues } from '#service/config.ts';
import { settings } from './config.ts';

const WEBHOOK = {
  WEBHOOK_URL: 'http://localhost:8080/webhook',
  WEBHOOK_SECRET: '0123456789abcdef0123456789abcdef',
};
const REST = { REST_PORT: '0', REST_SECRET_KEY: 'a-secret-key' };

test('accepts settings of webhooks, of REST, and of both', () => {
  expect(loadConfig(settings, WEBHOOK)).toMatchObject({ ...WEBHOOK, REST_FAULTS: 'none' });
  expect(loadConfig(settings, REST)).toMatchObject({ REST_PORT: 0, REST_CLIENT_ID: 1 });
  expect(loadConfig(settings, { ...WEBHOOK, ...REST })).toMatchObject({ ...WEBHOOK, REST_PORT: 0 });
});

test.each([
  [{}, 'WEBHOOK_URL'],
  [{ WEBHOOK_URL: WEBHOOK.WEBHOOK_URL }, 'WEBHOOK_SECRET'],
  [{ REST_PORT: '0' }, 'REST_SECRET_KEY'],
])('reports that %j lacks %s', (given, missing) => {
  expect(() => loadConfig(settings, given)).toThrow(`${missing}: is not set and has no default`);
});

test('redacts the secrets of webhooks and of REST', () => {
  const secrets = secretValues(settings, loadConfig(settings, { ...WEBHOOK, ...REST }));
  expect(secrets).toEqual([WEBHOOK.WEBHOOK_SECRET, REST.REST_SECRET_KEY]);
});
