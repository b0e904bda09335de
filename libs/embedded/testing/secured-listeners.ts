/** Secured listeners of a test's broker, in addition to its plain one. */
import type { TestKafkaOptions } from './cluster.ts';

/** The options of a broker with secured listeners. */
export type BrokerSecurity = Required<Pick<TestKafkaOptions, 'listeners' | 'settings' | 'storageArguments'>>;

/** Options of the secured listeners. */
type Secured = {
  /** PEM texts: the broker's certificate with its key, and the authority that signs the certificates of clients. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Passwords by user, for PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. OAUTHBEARER accepts unsigned tokens. */
  readonly users: Readonly<Record<string, string>>;
  /** Whether clients of secured listeners have only the rights of access control lists. Those of the plain one have all. */
  readonly authorizer?: boolean;
};

const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const LOGIN = 'org.apache.kafka.common.security';
const ONLY_ACLS = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
};

/** Returns the settings of the listeners TLS, which requires a client certificate with the user as common name, and SASL. */
export function securedListeners({ tls, users, authorizer = false }: Secured): BrokerSecurity {
  const plainUsers = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  return {
    listeners: [
      { name: 'TLS', protocol: 'SSL' },
      { name: 'SASL', protocol: 'SASL_SSL' },
    ],
    settings: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.certificate.chain': tls.cert,
      'ssl.keystore.key': tls.key,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': tls.ca,
      'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
      'listener.name.tls.ssl.client.auth': 'required',
      'listener.name.sasl.sasl.enabled.mechanisms': ['PLAIN', ...SCRAM, 'OAUTHBEARER'].join(','),
      'listener.name.sasl.plain.sasl.jaas.config': `${LOGIN}.plain.PlainLoginModule required ${plainUsers.join(' ')};`,
      ...Object.fromEntries(
        SCRAM.map((mechanism) => [
          `listener.name.sasl.${mechanism.toLowerCase()}.sasl.jaas.config`,
          `${LOGIN}.scram.ScramLoginModule required;`,
        ]),
      ),
      'listener.name.sasl.oauthbearer.sasl.jaas.config': `${LOGIN}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
      ...(authorizer ? ONLY_ACLS : {}),
    },
    storageArguments: Object.entries(users).flatMap(([name, password]) =>
      SCRAM.flatMap((mechanism) => ['--add-scram', `${mechanism}=[name=${name},password=${password}]`]),
    ),
  };
}
