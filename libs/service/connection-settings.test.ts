import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Authority, writeCertificate } from '../../test/support/certificates.ts';
import { ConfigError, type Environment, kafkaSettings, loadConfig, processSettings } from './config.ts';

const spec = z.object({ ...processSettings, ...kafkaSettings });
const plain = { KAFKA_BROKERS: 'one:9093', SCHEMA_REGISTRY_URL: 'https://registry/v7' };
const folder = mkdtempSync(join(tmpdir(), 'touchline-settings-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const authority = await Authority.create();
  writeFileSync(at('ca.crt'), authority.ca.cert);
  writeCertificate(folder, 'one', await authority.sign('one'));
  writeCertificate(folder, 'two', await authority.sign('two'));
  writeFileSync(at('password'), 'hidden-1\n');
});

const load = (env: Environment) => loadConfig(spec, { ...plain, ...env });

function problemsOf(env: Environment): string[] {
  try {
    load(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n  ').slice(1);
  }
  return [];
}

describe('combines the settings of a connection', () => {
  test('with a client certificate', () => {
    const [ca, cert, key] = [at('ca.crt'), at('one.crt'), at('one.key')];
    const files = { KAFKA_TLS_CA_FILE: ca, KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key };
    const tls = { ca, cert, key, keyPassword: null };
    const brokers = { addresses: ['one:9093'], tls, sasl: null };
    expect(load({ KAFKA_TLS: 'on', ...files }).KAFKA_BROKERS).toEqual(brokers);
  });

  test('with a password as text, or as a file that is read later', () => {
    const env = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'me' };
    const sasl = { mechanism: 'SCRAM-SHA-512', username: 'me' };
    const asText = { sasl: { ...sasl, password: 'hidden-2' } };
    expect(load({ ...env, KAFKA_SASL_PASSWORD: 'hidden-2' }).KAFKA_BROKERS).toMatchObject(asText);
    expect(load({ ...env, KAFKA_SASL_PASSWORD_FILE: at('password') })).toMatchObject({
      KAFKA_BROKERS: { sasl: { ...sasl, password: { file: at('password') } } },
      // Logs are redacted with it.
      KAFKA_SASL_PASSWORD: 'hidden-1',
    });
  });

  test('with a token, or with its endpoint', () => {
    const env = { KAFKA_TLS: 'on', KAFKA_SASL_MECHANISM: 'OAUTHBEARER' };
    expect(load({ ...env, KAFKA_SASL_TOKEN_FILE: at('password') }).KAFKA_BROKERS).toMatchObject({
      sasl: { mechanism: 'OAUTHBEARER', source: { token: { file: at('password') } } },
    });
    const issued = {
      KAFKA_SASL_TOKEN_URL: 'https://issuer/token',
      KAFKA_SASL_USERNAME: 'me',
      KAFKA_SASL_PASSWORD: 'hidden-3',
      KAFKA_SASL_SCOPE: 'kafka',
    };
    const endpoint = {
      url: 'https://issuer/token',
      clientId: 'me',
      clientSecret: 'hidden-3',
      scope: 'kafka',
    };
    expect(load({ ...env, ...issued }).KAFKA_BROKERS).toMatchObject({ sasl: { source: { endpoint } } });
  });

  test('with a user and an authority of the registry', () => {
    const env = { SCHEMA_REGISTRY_USERNAME: 'me', SCHEMA_REGISTRY_PASSWORD_FILE: at('password') };
    expect(load({ ...env, SCHEMA_REGISTRY_TLS_CA_FILE: at('ca.crt') }).SCHEMA_REGISTRY_URL).toEqual({
      url: 'https://registry/v7',
      tls: { ca: at('ca.crt'), cert: null, key: null, keyPassword: null },
      user: { username: 'me', password: { file: at('password') } },
    });
  });
});

describe('names every wrong setting at once', () => {
  test('when settings conflict', () => {
    expect(
      problemsOf({
        KAFKA_BROKERS: 'one',
        KAFKA_TLS_CA_FILE: at('ca.crt'),
        KAFKA_SASL_MECHANISM: 'PLAIN',
        KAFKA_SASL_TOKEN: 'hidden-4',
        SCHEMA_REGISTRY_URL: 'http://registry/v7',
        SCHEMA_REGISTRY_USERNAME: 'me',
        SCHEMA_REGISTRY_TLS_CA_FILE: at('ca.crt'),
        HTTP_TLS_CERT_FILE: at('one.crt'),
      }),
    ).toEqual([
      'KAFKA_BROKERS: must be host:port, with commas between several, is "one"',
      'HTTP_TLS_KEY_FILE: is not set, and HTTP_TLS_CERT_FILE is',
      'KAFKA_TLS_CA_FILE: requires KAFKA_TLS=on',
      'KAFKA_SASL_MECHANISM: PLAIN sends secrets in clear text: it requires KAFKA_TLS=on',
      'KAFKA_SASL_USERNAME: is not set, and KAFKA_SASL_MECHANISM is PLAIN',
      'KAFKA_SASL_PASSWORD: is not set, and KAFKA_SASL_MECHANISM is PLAIN',
      'KAFKA_SASL_TOKEN: is not used with PLAIN',
      'SCHEMA_REGISTRY_PASSWORD: is not set, and SCHEMA_REGISTRY_USERNAME is',
      'SCHEMA_REGISTRY_URL: must be an https address: SCHEMA_REGISTRY_TLS_… is set',
    ]);
  });

  test('when files cannot be used', () => {
    expect(
      problemsOf({
        KAFKA_TLS: 'on',
        KAFKA_TLS_CA_FILE: at('none.crt'),
        KAFKA_TLS_CERT_FILE: at('one.crt'),
        KAFKA_TLS_KEY_FILE: at('two.key'),
        HTTP_TLS_CERT_FILE: at('password'),
        HTTP_TLS_KEY_FILE: at('one.key'),
        KAFKA_SASL_PASSWORD: 'hidden-5',
        KAFKA_SASL_PASSWORD_FILE: at('none'),
      }),
    ).toEqual([
      'KAFKA_SASL_PASSWORD_FILE: is set, and KAFKA_SASL_PASSWORD too',
      `KAFKA_SASL_PASSWORD_FILE: the file ${at('none')} cannot be read (ENOENT)`,
      'HTTP_TLS_CERT_FILE: names a file without a matching PEM certificate or key (ERR_OSSL_PEM_NO_START_LINE)',
      `KAFKA_TLS_CA_FILE: the file ${at('none.crt')} cannot be read (ENOENT)`,
      'KAFKA_TLS_KEY_FILE: names a file without a matching PEM certificate or key (ERR_OSSL_X509_KEY_VALUES_MISMATCH)',
      'KAFKA_SASL_PASSWORD: requires KAFKA_SASL_MECHANISM',
    ]);
  });

  test('without the values of secrets', () => {
    const sasl = { KAFKA_SASL_PASSWORD: 'hidden-6', KAFKA_SASL_TOKEN: 'hidden-7' };
    const shown = problemsOf({ ...sasl, SCHEMA_REGISTRY_URL: 'ftp://me:hidden-8@registry' });
    expect(shown).toHaveLength(3);
    expect(shown.join()).not.toContain('hidden');
  });
});
