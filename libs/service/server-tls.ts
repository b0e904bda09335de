/** TLS of this process's HTTP servers: they share one certificate, which is read again when its files change. */
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
export function readServerTls({ cert, key }: ServerTlsFiles): {
  readonly cert: string;
  readonly key: string;
} {
  return { cert: readText(cert), key: readText(key) };
}

/** Interval between checks of the files: mounted secrets are replaced by links, which no event reports. */
const POLL_MS = 2_000;

/**
 * Replaces the certificate of a server for new connections when its files change. Skips a pair that does not match, e.g.
 * while only one file is written; the server then keeps the previous pair. Ends with the server.
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
    watchFile(path, { interval: POLL_MS, persistent: false }, renew);
    server.once('close', () => unwatchFile(path, renew));
  }
}
