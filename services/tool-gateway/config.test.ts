import { expect, test } from 'vitest';
import { loadConfig } from '#service/config.ts';
import { servedOf } from '#views/store/served.ts';
import { settings } from './config.ts';

const NEEDED = {
  KAFKA_BROKERS: 'localhost:9092',
  SCHEMA_REGISTRY_URL: 'http://localhost:8085/apis/ccompat/v7',
  CLIENTS_KEY: 'k'.repeat(32),
};

test('has defaults for all settings that do not depend on the deployment', () => {
  expect(loadConfig(settings, NEEDED)).toMatchObject({
    TOOLS_PORT: 8082,
    UPSTREAM_BASE_URL: 'http://localhost:8081',
    TOKEN_LIFETIME_DAYS: 365,
  });
});

test('accepts addresses and networks as proxies', () => {
  const TRUSTED_PROXIES = '10.0.0.1, 10.0.0.0/8,2001:db8::/32';
  const proxies = ['10.0.0.1', '10.0.0.0/8', '2001:db8::/32'];
  expect(loadConfig(settings, { ...NEEDED, TRUSTED_PROXIES }).TRUSTED_PROXIES).toEqual(proxies);
});

const NETS = ['10.0.0.0/33', '10.0.0.0/0', '2001:db8::/129', '10.0.0.0/8/8'];
test.each(['all', ...NETS, 'proxy.example', 'loopback'])('refuses %s as a proxy', (TRUSTED_PROXIES) => {
  expect(() => loadConfig(settings, { ...NEEDED, TRUSTED_PROXIES })).toThrow(/TRUSTED_PROXIES: must be/);
});

test('names every invalid setting at once', () => {
  const wrong = { ...NEEDED, TOOLS_PORT: 'x', UPSTREAM_BASE_URL: 'ftp://a', TOKEN_LIFETIME_DAYS: '-1' };
  const named = /TOOLS_PORT.*\n.*UPSTREAM_BASE_URL.*\n.*TOKEN_LIFETIME_DAYS/;
  expect(() => loadConfig(settings, wrong)).toThrow(named);
});

test('accepts ids of the competitions to serve; serves all when there are none', () => {
  const served = (SERVE_COMPETITIONS: string) =>
    servedOf(loadConfig(settings, { ...NEEDED, SERVE_COMPETITIONS }).SERVE_COMPETITIONS);
  expect(served('')).toBeNull();
  expect(served(' 52, 61')).toEqual(new Set([52, 61]));
  for (const wrong of ['all', '52;61', '52,', '-1'])
    expect(() => served(wrong)).toThrow(/SERVE_COMPETITIONS: must be ids with commas between them/);
});
