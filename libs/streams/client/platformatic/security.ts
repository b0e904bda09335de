/** TLS and SASL options of @platformatic/kafka's connections, and errors of connections that are refused. */
import type { CodeOf } from '#errors/catalogue.ts';
import { BearerTokenError, bearerToken } from '#security/bearer-token.ts';
import { type Brokers, type Sasl, securityOf } from '#security/brokers.ts';
import { readSecret } from '#security/secret.ts';
import { readTls, tlsFailure } from '#security/tls.ts';
import { StreamError } from '../../errors.ts';
import { AuthenticationError, type ConnectionOptions, type SASLOptions } from './library.ts';

/** Returns the options of a new connection to a host. Reads the secret files now. Throws `SecretFileError`. */
export function connectionSecurity(brokers: Brokers, host: string): Pick<ConnectionOptions, 'tls' | 'sasl'> {
  const { tls, sasl } = securityOf(brokers);
  return {
    ...(tls === null ? {} : { tls: readTls(tls, host) }),
    ...(sasl === null ? {} : { sasl: saslOptions(sasl) }),
  };
}

/** Returns options that read secrets and tokens anew for each authentication, also a repeated one (KIP-368). */
function saslOptions(sasl: Sasl): SASLOptions {
  if (sasl.mechanism !== 'OAUTHBEARER') {
    const { mechanism, username, password } = sasl;
    return { mechanism, username, password: () => readSecret(password) };
  }
  return {
    mechanism: 'OAUTHBEARER',
    token: () => bearerToken(sasl.source),
    // The broker refuses a token by response bytes without an error (RFC 7628, 3.2.3). The library's own check calls back twice.
    authBytesValidator: (bytes, callback) =>
      bytes.length === 0
        ? callback(null, bytes)
        : callback(new AuthenticationError('the token is refused'), bytes),
  };
}

/** Kafka's error names for refused credentials. */
const UNSUPPORTED = 'UNSUPPORTED_SASL_MECHANISM';
const REFUSED = ['SASL_AUTHENTICATION_FAILED', UNSUPPORTED];
/** The library's error message when a broker speaks TLS and the connection does not. */
const WANTS_TLS = 'Broker requires TLS.';

type Link = Error & { readonly code?: unknown; readonly apiId?: unknown };

/** Returns the error of a connection that would fail again, as it is refused; undefined for another. `at`: the broker. */
export function accessError(brokers: Brokers, at: string, thrown: unknown): StreamError | undefined {
  const { tls, sasl } = securityOf(brokers);
  const chain = chainOf(thrown);
  const failed = (code: CodeOf<'StreamError'>, why: string): StreamError =>
    new StreamError(code, `connect to ${at}: ${why}`, thrown);
  const failure = tlsFailure(thrown);
  if (failure?.of === 'theirs')
    return failed('CERTIFICATE_UNTRUSTED', `the certificate of the broker is not trusted: ${failure.reason}`);
  if (failure?.of === 'ours') {
    const refused =
      tls?.cert == null ? 'a connection without a client certificate' : 'the client certificate';
    return failed('AUTHENTICATION_FAILED', `the broker refuses ${refused} (${failure.reason})`);
  }
  if (sasl !== null && isRefused(chain)) {
    const isOffered = !chain.some(({ apiId }) => apiId === UNSUPPORTED);
    const refusal = isOffered
      ? `the broker refuses ${principalOf(sasl)}`
      : 'the broker does not offer the mechanism';
    const why = chain.at(-1) instanceof BearerTokenError ? `: ${chain.at(-1)?.message}` : '';
    return failed('AUTHENTICATION_FAILED', `${refusal} (SASL ${sasl.mechanism})${why}`);
  }
  if (chain.some(({ message }) => message === WANTS_TLS))
    return failed('TLS_REQUIRED', 'the broker speaks TLS, and KAFKA_TLS is off');
  return undefined;
}

/** Whether the broker refused the credentials. A connection that broke meanwhile is reported alike, but transient. */
function isRefused(chain: readonly Link[]): boolean {
  if (chain.some(({ apiId }) => REFUSED.includes(String(apiId)))) return true;
  const last = chain.at(-1);
  return (
    last instanceof AuthenticationError || (last instanceof BearerTokenError && last.code === 'TOKEN_REFUSED')
  );
}

function principalOf(sasl: Sasl): string {
  if (sasl.mechanism !== 'OAUTHBEARER') return `user ${sasl.username}`;
  return 'endpoint' in sasl.source ? `the token of client ${sasl.source.endpoint.clientId}` : 'the token';
}

/** Returns an error and its causes; follows the first error of an `AggregateError`. */
function chainOf(thrown: unknown): Link[] {
  const chain: Link[] = [];
  for (let at = thrown; at instanceof Error; ) {
    chain.push(at as Link);
    at = at instanceof AggregateError && at.errors.length > 0 ? at.errors[0] : at.cause;
  }
  return chain;
}
