/** Settings of connections: TLS and authentication for Kafka and the registry, TLS of this process's servers. */
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import type { Brokers, Sasl } from '#security/brokers.ts';
import { type Secret, SecretFileError } from '#security/secret.ts';
import { readTls, type TlsFiles } from '#security/tls.ts';
import type { RegistryUrl } from '#topics/registry-http.ts';
import { httpUrl, onOff, optional, secret } from './setting-types.ts';

const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

function tlsSettings<P extends string>(prefix: P, whose: string) {
  const authorities = `PEM file of the authorities that sign the certificates of ${whose}`;
  const settings = {
    CA_FILE: optional(`${authorities}. Not set: the authorities of Node.`),
    CERT_FILE: optional(`PEM file of the client certificate for ${whose}, with its chain.`),
    KEY_FILE: optional('PEM file of the key of that certificate.'),
    KEY_PASSWORD: secret(optional('Password of that key, if it is encrypted.')),
  };
  const named = Object.entries(settings).map(([name, schema]) => [`${prefix}_TLS_${name}`, schema]);
  return Object.fromEntries(named) as Record<
    `${P}_TLS_${keyof typeof settings}`,
    ReturnType<typeof optional>
  >;
}

/** Settings of secured connections to Kafka and the registry. */
export const securitySettings = {
  KAFKA_TLS: onOff('off').describe('Whether connections to the brokers use TLS: on or off.'),
  ...tlsSettings('KAFKA', 'the brokers'),
  KAFKA_SASL_MECHANISM: z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(MECHANISMS, `must be one of ${MECHANISMS.join(', ')}`))
    .optional()
    .describe(
      `Authentication of connections to the brokers: ${MECHANISMS.join(', ')}. Not set: no authentication.`,
    ),
  KAFKA_SASL_USERNAME: optional('User, or with OAUTHBEARER the client id at KAFKA_SASL_TOKEN_URL.'),
  KAFKA_SASL_PASSWORD: secret(optional('Password of that user, or secret of that client.')),
  KAFKA_SASL_TOKEN: secret(
    optional('Token for OAUTHBEARER; as a file it may be renewed by another program.'),
  ),
  KAFKA_SASL_TOKEN_URL: httpUrl()
    .optional()
    .describe('Token endpoint for OAUTHBEARER (client credentials), instead of KAFKA_SASL_TOKEN.'),
  KAFKA_SASL_SCOPE: optional('Scope to request at KAFKA_SASL_TOKEN_URL.'),
  SCHEMA_REGISTRY_USERNAME: optional('User of the registry (basic authentication).'),
  SCHEMA_REGISTRY_PASSWORD: secret(optional('Password of that user.')),
  ...tlsSettings('SCHEMA_REGISTRY', 'the registry'),
};

/** TLS settings of the servers of a process. */
export const serverTlsSettings = {
  HTTP_TLS_CERT_FILE: optional(
    'PEM file of the certificate, with its chain, of every HTTP server of the process, also for metrics and health. Not set: plain HTTP.',
  ),
  HTTP_TLS_KEY_FILE: optional('PEM file of the key of that certificate.'),
};

type GivenSettings = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly secretFiles: ReadonlyMap<string, string>;
};

type Report = (setting: string, problem: string) => void;

/** Checks the settings of connections together. Returns those of Kafka and the registry with their security, if it is set. */
export function joinConnections(given: GivenSettings, report: Report): Record<string, unknown> {
  checkServerTls(given, report);
  const { KAFKA_BROKERS: addresses, SCHEMA_REGISTRY_URL: url } = given.values;
  const tls = kafkaTls(given, report);
  const sasl = kafkaSasl(given, report);
  const registry = registrySecurity(given, report);
  const joined: { KAFKA_BROKERS?: Brokers; SCHEMA_REGISTRY_URL?: RegistryUrl } = {};
  if (Array.isArray(addresses) && (tls !== null || sasl !== null))
    joined.KAFKA_BROKERS = { addresses, tls, sasl };
  if (typeof url === 'string' && registry !== null) joined.SCHEMA_REGISTRY_URL = { url, ...registry };
  return joined;
}

function text({ values }: GivenSettings, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' ? value : null;
}

function secretOf(given: GivenSettings, name: string): Secret | null {
  const file = given.secretFiles.get(name);
  return file === undefined ? text(given, name) : { file };
}

const NO_FILES: TlsFiles = { ca: null, cert: null, key: null, keyPassword: null };

/** Returns the TLS files of a connection; null if none is set. */
function tlsFiles(given: GivenSettings, prefix: string, report: Report): TlsFiles | null {
  const files: TlsFiles = {
    ca: text(given, `${prefix}_TLS_CA_FILE`),
    cert: text(given, `${prefix}_TLS_CERT_FILE`),
    key: text(given, `${prefix}_TLS_KEY_FILE`),
    keyPassword: secretOf(given, `${prefix}_TLS_KEY_PASSWORD`),
  };
  if (Object.values(files).every((one) => one === null)) return null;
  requireBoth(given, `${prefix}_TLS_CERT_FILE`, `${prefix}_TLS_KEY_FILE`, report);
  if ((files.cert === null) === (files.key === null)) checkFiles(files, prefix, report);
  return files;
}

/** Reads the files as a connection will, so that a wrong one is reported at the start. */
function checkFiles(files: TlsFiles, prefix: string, report: Report): void {
  const usable = (name: string, some: Partial<TlsFiles>): boolean => {
    try {
      createSecureContext(readTls({ ...NO_FILES, ...some }, ''));
      return true;
    } catch (error) {
      report(name, problemOf(error));
      return false;
    }
  };
  if (files.ca !== null) usable(`${prefix}_TLS_CA_FILE`, { ca: files.ca });
  if (files.cert === null) return;
  if (usable(`${prefix}_TLS_CERT_FILE`, { cert: files.cert }))
    usable(`${prefix}_TLS_KEY_FILE`, { ...files, ca: null });
}

function problemOf(error: unknown): string {
  if (error instanceof SecretFileError) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? 'no reason known';
  return `names a file without a matching PEM certificate or key (${code})`;
}

function requireBoth(given: GivenSettings, one: string, other: string, report: Report): void {
  const missing = [one, other].filter((name) => text(given, name) === null);
  if (missing.length === 1)
    report(missing[0] as string, `is not set, and ${missing[0] === one ? other : one} is`);
}

function checkServerTls(given: GivenSettings, report: Report): void {
  requireBoth(given, 'HTTP_TLS_CERT_FILE', 'HTTP_TLS_KEY_FILE', report);
  const [cert, key] = [text(given, 'HTTP_TLS_CERT_FILE'), text(given, 'HTTP_TLS_KEY_FILE')];
  if (cert !== null && key !== null) checkFiles({ ...NO_FILES, cert, key }, 'HTTP', report);
}

function kafkaTls(given: GivenSettings, report: Report): TlsFiles | null {
  if (text(given, 'KAFKA_TLS') === 'on') return tlsFiles(given, 'KAFKA', report) ?? NO_FILES;
  for (const name of ['CA_FILE', 'CERT_FILE', 'KEY_FILE', 'KEY_PASSWORD'])
    if (text(given, `KAFKA_TLS_${name}`) !== null) report(`KAFKA_TLS_${name}`, 'requires KAFKA_TLS=on');
  return null;
}

/** The settings that each way to authenticate needs. */
const SASL_NEEDS = {
  password: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  token: ['KAFKA_SASL_TOKEN'],
  endpoint: ['KAFKA_SASL_TOKEN_URL', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
} as const;
const SASL_SETTINGS = new Set([...Object.values(SASL_NEEDS).flat(), 'KAFKA_SASL_SCOPE']);

function kafkaSasl(given: GivenSettings, report: Report): Sasl | null {
  const mechanism = text(given, 'KAFKA_SASL_MECHANISM') as Sasl['mechanism'] | null;
  if (mechanism === null) {
    for (const name of SASL_SETTINGS)
      if (text(given, name) !== null) report(name, 'requires KAFKA_SASL_MECHANISM');
    return null;
  }
  if (!mechanism.startsWith('SCRAM') && text(given, 'KAFKA_TLS') === 'off')
    report('KAFKA_SASL_MECHANISM', `${mechanism} sends secrets in clear text: it requires KAFKA_TLS=on`);
  const token = secretOf(given, 'KAFKA_SASL_TOKEN');
  const ofToken = token === null ? 'endpoint' : 'token';
  const way = mechanism === 'OAUTHBEARER' ? ofToken : 'password';
  const needed: readonly string[] = SASL_NEEDS[way];
  for (const name of SASL_SETTINGS) {
    const isSet = text(given, name) !== null;
    const isNeeded = needed.includes(name);
    const isUsed = isNeeded || (way === 'endpoint' && name === 'KAFKA_SASL_SCOPE');
    if (isNeeded && !isSet) report(name, `is not set, and KAFKA_SASL_MECHANISM is ${mechanism}`);
    if (isSet && !isUsed)
      report(name, `is not used with ${way === 'token' ? 'KAFKA_SASL_TOKEN' : mechanism}`);
  }
  const username = text(given, 'KAFKA_SASL_USERNAME') ?? '';
  const password = secretOf(given, 'KAFKA_SASL_PASSWORD') ?? '';
  if (mechanism !== 'OAUTHBEARER') return { mechanism, username, password };
  if (token !== null) return { mechanism, source: { token } };
  const url = text(given, 'KAFKA_SASL_TOKEN_URL') ?? '';
  const scope = text(given, 'KAFKA_SASL_SCOPE');
  return { mechanism, source: { endpoint: { url, clientId: username, clientSecret: password, scope } } };
}

/** Returns TLS and user of the registry; null if neither is set. */
function registrySecurity(given: GivenSettings, report: Report) {
  const url = text(given, 'SCHEMA_REGISTRY_URL');
  requireBoth(given, 'SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD', report);
  const username = text(given, 'SCHEMA_REGISTRY_USERNAME');
  const password = secretOf(given, 'SCHEMA_REGISTRY_PASSWORD');
  const tls = tlsFiles(given, 'SCHEMA_REGISTRY', report);
  if (tls !== null && url?.startsWith('http:'))
    report('SCHEMA_REGISTRY_URL', 'must be an https address: SCHEMA_REGISTRY_TLS_… is set');
  if (username !== null && url !== null && new URL(url).username !== '')
    report('SCHEMA_REGISTRY_USERNAME', 'is set, but SCHEMA_REGISTRY_URL also names a user');
  if (tls === null && username === null) return null;
  return { tls, user: username === null || password === null ? null : { username, password } };
}
