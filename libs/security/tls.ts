/** TLS of outgoing connections: trusted authorities, and the certificate of this process. */
import { isIP } from 'node:net';
import { causesOf } from '#errors/touchline-error.ts';
import { readSecret, readText, type Secret } from './secret.ts';

/** Paths of PEM files, which are read for each new connection because certificates rotate. Null is unset. */
export type TlsFiles = {
  /** Trusted authorities; null means those of Node. */
  readonly ca: string | null;
  /** Certificate of this process, with its chain. `cert` and `key` are set together. */
  readonly cert: string | null;
  readonly key: string | null;
  readonly keyPassword: Secret | null;
};

/** Returns the options of a new connection to `host`. Throws `SecretFileError`. */
export function readTls({ ca, cert, key, keyPassword }: TlsFiles, host: string) {
  return {
    // Managed brokers route by server name, which Node does not send by default. It must not be an address (RFC 6066).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === null ? {} : { ca: readText(ca) }),
    ...(cert === null ? {} : { cert: readText(cert) }),
    ...(key === null ? {} : { key: readText(key) }),
    ...(keyPassword === null ? {} : { passphrase: readSecret(keyPassword) }),
  };
}

/** Codes of Node and OpenSSL for a certificate that is refused. */
const REFUSED =
  /^(CERT_|DEPTH_ZERO_SELF_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_|ERR_TLS_CERT_)/;
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it is revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  HOSTNAME_MISMATCH: 'it is for another name',
};

/** Returns what is wrong with a peer's certificate, by the code of a failed handshake; undefined for any other failure. */
export function certificateFault(code: string): string | undefined {
  return REFUSED.test(code) ? (CERTIFICATE_FAULTS[code] ?? 'no trusted authority vouches for it') : undefined;
}

/** The reason of a failed handshake: the peer's certificate (`theirs`), or that of this process (`ours`). */
type TlsFailure = { readonly of: 'theirs' | 'ours'; readonly reason: string };

/** Returns the TLS failure in an error or its causes; undefined for any other failure. */
export function tlsFailure(error: unknown): TlsFailure | undefined {
  for (const { code, message } of causesOf(error)) {
    if (typeof code !== 'string') continue;
    if (certificateFault(code) !== undefined) return { of: 'theirs', reason: `${message} (${code})` };
    if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/.test(code)) return { of: 'ours', reason: code };
  }
  return undefined;
}
