/** TLS of this process's HTTP servers: they share one certificate, which is read again when its files change. */

import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { readText } from '#security/secret.ts';

/** Paths of PEM files: a server's certificate with its chain, and its key. Plain data, so that threads can receive it. */
export type ServerTlsFiles = { readonly cert: string; readonly key: string };

/** The settings: both or none are set. */
type TlsConfig = {
  readonly HTTP_TLS_CERT_FILE?: string | undefined;
  readonly HTTP_TLS_KEY_FILE?: string | undefined;
};

/** Returns the files of the settings; null if the servers use plain HTTP. */
export function serverTlsFiles(config: TlsConfig): ServerTlsFiles | null {
  const { HTTP_TLS_CERT_FILE: cert, HTTP_TLS_KEY_FILE: key } = config;
  return cert === undefined || key === undefined ? null : { cert, key };
}

/** Reads the current certificate and key. Throws `SecretFileError`. */
export function readServerTls({ cert, key }: ServerTlsFiles) {
  return { cert: readText(cert), key: readText(key) };
}

/** Interval between checks of the files: mounted secrets are replaced by links, which no event reports. */
const POLL_MS = 2_000;

/** Replaces a server's certificate for new connections when its files change; skips a pair that does not match, as while one is written. */
export function followCertificate(server: Server, files: ServerTlsFiles): void {
  const renew = (): void => {
    try {
      const pair = readServerTls(files);
      createSecureContext(pair);
      server.setSecureContext(pair);
    } catch (error) {
      process.emitWarning(
        `HTTP_TLS_CERT_FILE and HTTP_TLS_KEY_FILE cannot be used: ${(error as Error).message}`,
      );
    }
  };
  for (const path of Object.values(files)) {
    watchFile(path, { interval: POLL_MS, persistent: false }, renew);
    server.once('close', () => unwatchFile(path, renew));
  }
}

/** Settings that name the PEM file of a certificate of ours: of the HTTP servers, and of the client of brokers and registry. */
const SETTINGS = ['HTTP_TLS_CERT_FILE', 'KAFKA_TLS_CERT_FILE', 'SCHEMA_REGISTRY_TLS_CERT_FILE'] as const;

/** A setting, and the path in it. */
export type CertificateFile = { readonly setting: (typeof SETTINGS)[number]; readonly path: string };

/** When a certificate is valid, Unix milliseconds. */
export type Validity = { readonly from: number; readonly to: number };

/** Returns the settings of an environment that name a certificate. */
export function certificateFiles(env: Readonly<Record<string, string | undefined>>): CertificateFile[] {
  return SETTINGS.flatMap((setting) => {
    const path = env[setting];
    return path === undefined || path === '' ? [] : [{ setting, path }];
  });
}

/** Reads when the first certificate of a file is valid. Throws `SecretFileError`, or an error of OpenSSL for another content. */
export function validityOf({ path }: CertificateFile): Validity {
  const { validFrom, validTo } = new X509Certificate(readText(path));
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
}
