/** The certificates that the settings of a process name. */
import { X509Certificate } from 'node:crypto';
import { readText } from '#security/secret.ts';

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
