import { HOST } from '#embedded/ports.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import type { Brokers, Sasl } from '#security/brokers.ts';
import { Authority, writeCertificate, writeText } from './certificates.ts';
import { startOwnKafka } from './own-kafka.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A broker that requires TLS and credentials, with the files of its clients. */
export type SecuredKafka = Awaited<ReturnType<typeof startSecuredKafka>>;

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

/**
 * Creates a temporary folder with a new authority and a broker certificate. `ca`: PEM file of the authority.
 */
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
) {
  const { folder, authority, tls, ca } = await brokerCertificates();
  const security = securedListeners({
    tls,
    users: Object.fromEntries(['operator', ...users].map((user) => [user, PASSWORD])),
    authorizer: true,
  });
  const kafka = await startOwnKafka({
    ...security,
    settings: { ...security.settings, 'super.users': 'User:ANONYMOUS;User:operator', ...settings },
  });
  /** Addresses of its listeners TLS and SASL. */
  const secured = { tls: [`${HOST}:${kafka.ports.TLS}`], sasl: [`${HOST}:${kafka.ports.SASL}`] };
  return {
    kafka,
    ...secured,
    folder,
    authority,
    ca,
    /** Returns the connection with a client certificate of this common name. */
    async byCertificate(user: string) {
      const { cert, key } = writeCertificate(folder, user, await authority.sign(user));
      return {
        brokers: { addresses: secured.tls, tls: { ca, cert, key, keyPassword: null }, sasl: null } as Brokers,
        env: {
          KAFKA_BROKERS: secured.tls.join(','),
          KAFKA_TLS: 'on',
          KAFKA_TLS_CA_FILE: ca,
          KAFKA_TLS_CERT_FILE: cert,
          KAFKA_TLS_KEY_FILE: key,
        },
      };
    },
    /** Returns the connection with credentials over TLS. */
    bySasl: (sasl: Sasl): Brokers => ({
      addresses: secured.sasl,
      tls: { ca, cert: null, key: null, keyPassword: null },
      sasl,
    }),
    /** Returns the settings of `bySasl` but the credentials. */
    saslEnv: (mechanism: string) => saslSettings(secured.sasl, ca, mechanism),
  };
}

/** Returns an unsigned token for a user, as the broker's development handler accepts it. */
export function unsignedToken(user: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: user, iat: seconds, exp: seconds + 3600 })}.`;
}
