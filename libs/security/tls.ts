/** TLS of connections to others: who is trusted, and what this process shows of itself. */
import { isIP } from 'node:net';
import { readSecret, readText, type Secret } from './secret.ts';

/** Files in PEM form. They are read for each new connection: certificates rotate. Null is unset. */
export type TlsFiles = {
  /** Authorities that are trusted instead of those of Node. */
  readonly ca: string | null;
  /** The certificate of this process, with its chain, and its key; both or none. */
  readonly cert: string | null;
  readonly key: string | null;
  /** Opens an encrypted key. */
  readonly keyPassword: Secret | null;
};

/** Options of `tls.connect`. */
export type TlsOptions = {
  readonly servername?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
};

/** The options of a new connection to `host`. Throws `SecretFileError`. */
export function readTls({ ca, cert, key, keyPassword }: TlsFiles, host: string): TlsOptions {
  return {
    // Node sends no server name by itself, and managed brokers route by it. An address is none (RFC 6066).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === null ? {} : { ca: readText(ca) }),
    ...(cert === null ? {} : { cert: readText(cert) }),
    ...(key === null ? {} : { key: readText(key) }),
    ...(keyPassword === null ? {} : { passphrase: readSecret(keyPassword) }),
  };
}

/** Codes of a certificate that cannot be trusted, of Node and OpenSSL. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a failed handshake says: of the other side's certificate, or of ours; undefined for any other failure. */
export type TlsFailure = { readonly of: 'theirs' | 'ours'; readonly reason: string };

/** Reads the codes of an error and its causes. */
export function tlsFailure(error: unknown): TlsFailure | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code !== 'string') continue;
    if (UNTRUSTED.has(code)) return { of: 'theirs', reason: `${at.message} (${code})` };
    if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/.test(code)) return { of: 'ours', reason: code };
  }
  return undefined;
}
