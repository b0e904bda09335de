import { inject } from 'vitest';
import { type Kafka, startKafka } from '#embedded/kafka.ts';
import { HOST } from '#embedded/ports.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import type { Brokers, Sasl } from '#security/brokers.ts';
import { atEnd } from './at-end.ts';
import { Authority, writeCertificate, writeText } from './certificates.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A broker that requires TLS and credentials, with the files of its clients. */
export type SecuredKafka = {
  readonly kafka: Kafka;
  /** Addresses of its listeners TLS and SASL. */
  readonly tls: string[];
  readonly sasl: string[];
  readonly folder: string;
  readonly authority: Authority;
  /** PEM file of its authority. */
  readonly ca: string;
  /** Returns the connection with a client certificate of this common name. */
  byCertificate(user: string): Promise<{ brokers: Brokers; env: Record<string, string> }>;
  /** Returns the connection with credentials over TLS. */
  bySasl(sasl: Sasl): Brokers;
  /** Returns the settings of `bySasl` but the credentials. */
  saslEnv(mechanism: string): Record<string, string>;
};

/** The password of every user. */
export const PASSWORD = 'correct-horse-42';

/** Returns the settings of a connection over TLS to brokers that require credentials, which are missing here. */
export function saslSettings(
  addresses: readonly string[],
  ca: string,
  mechanism: string,
): Record<string, string> {
  return {
    KAFKA_BROKERS: addresses.join(','),
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: ca,
    KAFKA_SASL_MECHANISM: mechanism,
  };
}

/** Creates a temporary folder with a new authority and a broker certificate. */
export async function brokerCertificates() {
  const folder = temporaryFolder();
  const authority = await Authority.create();
  const tls = { ...(await authority.sign('broker')), ca: authority.ca.cert };
  return { folder, authority, tls, ca: writeText(folder, 'ca.crt', authority.ca.cert) };
}

/**
 * Starts a broker with an authorizer. `operator` has all rights, other users those of access control lists. `settings`
 * are further settings of the broker.
 */
export async function startSecuredKafka(
  users: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<SecuredKafka> {
  const { folder, authority, tls, ca } = await brokerCertificates();
  const security = securedListeners({
    tls,
    users: Object.fromEntries(['operator', ...users].map((user) => [user, PASSWORD])),
    authorizer: true,
  });
  const kafka = await startKafka({
    ...security,
    dataDir: temporaryFolder(inject('folder')),
    jvmArgs: QUICK_START,
    settings: { ...security.settings, 'super.users': 'User:ANONYMOUS;User:operator', ...settings },
  });
  atEnd(() => kafka.stop());
  const secured = { tls: [`${HOST}:${kafka.ports.TLS}`], sasl: [`${HOST}:${kafka.ports.SASL}`] };
  return {
    kafka,
    ...secured,
    folder,
    authority,
    ca,
    async byCertificate(user) {
      const { cert, key } = writeCertificate(folder, user, await authority.sign(user));
      return {
        brokers: { addresses: secured.tls, tls: { ca, cert, key, keyPassword: null }, sasl: null },
        env: {
          KAFKA_BROKERS: secured.tls.join(','),
          KAFKA_TLS: 'on',
          KAFKA_TLS_CA_FILE: ca,
          KAFKA_TLS_CERT_FILE: cert,
          KAFKA_TLS_KEY_FILE: key,
        },
      };
    },
    bySasl: (sasl) => ({
      addresses: secured.sasl,
      tls: { ca, cert: null, key: null, keyPassword: null },
      sasl,
    }),
    saslEnv: (mechanism) => saslSettings(secured.sasl, ca, mechanism),
  };
}

/** Returns an unsigned token for a user, as the broker's development handler accepts it. */
export function unsignedToken(user: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: user, iat: seconds, exp: seconds + 3600 })}.`;
}
