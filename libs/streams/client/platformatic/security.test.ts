import { expect, test } from 'vitest';
import { BearerTokenError } from '#security/bearer-token.ts';
import type { SecuredBrokers } from '#security/brokers.ts';
import { AuthenticationError, NetworkError, ProtocolError, UserError } from './library.ts';
import { accessError, connectionSecurity } from './security.ts';

const AT = 'broker.example:9094';
const secured = {
  addresses: [AT],
  tls: { ca: null, cert: null, key: null, keyPassword: null },
  sasl: { mechanism: 'PLAIN', username: 'me', password: 'hidden' },
} as const satisfies SecuredBrokers;

/** Returns the library's error for a failed connection. */
const failed = (cause: Error): Error => new NetworkError(`Connection to ${AT} failed.`, { cause });
const refused = (cause?: Error): Error =>
  failed(new AuthenticationError('SASL authentication failed.', cause === undefined ? {} : { cause }));
const refusedBy = (id: string): Error => refused(new ProtocolError(id));
const refusedToken = (code: 'TOKEN_REFUSED' | 'TOKEN_ENDPOINT_UNREACHABLE'): Error =>
  refused(new BearerTokenError(code, 'no'));
const certificate = (code: string): Error => failed(Object.assign(new Error('not good'), { code }));

test.each<[string, Error, string | undefined]>([
  ['refused credentials', refusedBy('SASL_AUTHENTICATION_FAILED'), 'AUTHENTICATION_FAILED'],
  ['an unsupported mechanism', refusedBy('UNSUPPORTED_SASL_MECHANISM'), 'AUTHENTICATION_FAILED'],
  ['a signature of another server', refused(), 'AUTHENTICATION_FAILED'],
  ['a token that the issuer refuses', refusedToken('TOKEN_REFUSED'), 'AUTHENTICATION_FAILED'],
  ['an unreachable token issuer', refusedToken('TOKEN_ENDPOINT_UNREACHABLE'), undefined],
  ['a connection lost during authentication', refused(new NetworkError('closed')), undefined],
  ['a self-signed certificate', certificate('SELF_SIGNED_CERT_IN_CHAIN'), 'CERTIFICATE_UNTRUSTED'],
  ['a certificate of another name', certificate('ERR_TLS_CERT_ALTNAME_INVALID'), 'CERTIFICATE_UNTRUSTED'],
  ['our own certificate', certificate('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'AUTHENTICATION_FAILED'],
  ['a broker that requires TLS', new UserError('Broker requires TLS.'), 'TLS_REQUIRED'],
  ['an unreachable broker', certificate('ECONNREFUSED'), undefined],
])('accessError classifies %s', (_, error, code) => {
  const found = accessError(secured, AT, error);
  expect(found?.code).toBe(code);
  expect(found?.message ?? '').not.toMatch(/hidden|\n/);
});

test('sends a host name by SNI, but no address', () => {
  expect(connectionSecurity(secured, 'broker.example').tls).toEqual({ servername: 'broker.example' });
  expect(connectionSecurity(secured, '10.0.0.1').tls).toEqual({});
  expect(connectionSecurity([AT], 'broker.example')).toEqual({});
});
