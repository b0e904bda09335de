/** Secured connections in the terms of kafkajs. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { bearerToken } from '#security/bearer-token.ts';
import { readSecret } from '#security/secret.ts';
import { readTls } from '#security/tls.ts';
import { addressesOf, type Brokers, type Sasl, securityOf } from '../brokers.ts';

type ConnectionOptions = Pick<
  KafkaConfig,
  'brokers' | 'ssl' | 'sasl' | 'socketFactory' | 'reauthenticationThreshold'
>;

/**
 * How long before its end kafkajs renews an authentication that the broker limits (KIP-368), milliseconds: where the limit is
 * below kafkajs's own 10 s, it would authenticate for each request. A broker refuses to do so twice within a second.
 */
const RENEWAL_MS = 1_000;

/** The part of kafkajs's configuration that says where the brokers are. Files are read for each new connection. */
export function connectionOptions(brokers: Brokers): ConnectionOptions {
  const { tls, sasl } = securityOf(brokers);
  return {
    brokers: [...addressesOf(brokers)],
    ...(tls === null ? {} : { ssl: true }),
    ...(sasl === null ? {} : { sasl: saslOptions(sasl), reauthenticationThreshold: RENEWAL_MS }),
    socketFactory({ host, port, onConnect }) {
      const to = { host, port, keepAlive: true };
      return tls === null ? connect(to, onConnect) : connectTls({ ...to, ...readTls(tls, host) }, onConnect);
    },
  };
}

/** kafkajs takes texts, and reads them for each authentication: a getter gives it a secret that rotated. */
function saslOptions(sasl: Sasl): SASLOptions {
  if (sasl.mechanism === 'OAUTHBEARER')
    return {
      mechanism: 'oauthbearer',
      oauthBearerProvider: async () => ({ value: await bearerToken(sasl.source) }),
    };
  const { username, password } = sasl;
  const options = {
    username,
    get password() {
      return readSecret(password);
    },
  };
  return Object.defineProperty(options, 'mechanism', {
    value: sasl.mechanism.toLowerCase(),
    enumerable: true,
  }) as unknown as SASLOptions;
}
