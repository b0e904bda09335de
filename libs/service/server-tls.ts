/** TLS of this process's own HTTP servers: one certificate for all of them, read again when its files change. */
import { unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { readText } from '#security/secret.ts';

/** PEM files of a server's certificate, with its chain, and of its key. Plain data: threads receive it too. */
export type ServerTlsFiles = { readonly cert: string; readonly key: string };

/** The settings, which are complete where one is set. */
type TlsConfig = {
  readonly HTTP_TLS_CERT_FILE?: string | undefined;
  readonly HTTP_TLS_KEY_FILE?: string | undefined;
};

/** Null: the servers speak plain HTTP. */
export function serverTlsFiles(config: TlsConfig): ServerTlsFiles | null {
  const { HTTP_TLS_CERT_FILE: cert, HTTP_TLS_KEY_FILE: key } = config;
  return cert === undefined || key === undefined ? null : { cert, key };
}

/** The certificate and the key as they are now. Throws `SecretFileError`. */
export function readServerTls({ cert, key }: ServerTlsFiles): {
  readonly cert: string;
  readonly key: string;
} {
  return { cert: readText(cert), key: readText(key) };
}

/** How often the files are looked at: mounted secrets are replaced by links that no event reports. */
const LOOK_MS = 2_000;

/**
 * Replaces the certificate of a server for new connections when its files change. A pair that does not fit, as while only
 * one file is written, is skipped: the server keeps the last one that did. Ends with the server.
 */
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
    watchFile(path, { interval: LOOK_MS, persistent: false }, renew);
    server.once('close', () => unwatchFile(path, renew));
  }
}
