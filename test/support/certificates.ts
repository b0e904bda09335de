import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate, type SelfsignedOptions } from 'selfsigned';

/** A certificate and its key, as PEM. */
export type Certificate = { readonly cert: string; readonly key: string };

/** Creates a certificate with this common name; signed by itself, unless `options` have an authority. */
export async function createCertificate(
  commonName: string,
  options: SelfsignedOptions,
): Promise<Certificate> {
  const name = [{ name: 'commonName', value: commonName }];
  const { cert, private: key } = await generate(name, { keyType: 'ec', algorithm: 'sha256', ...options });
  return { cert, key };
}

export class Authority {
  readonly ca: Certificate;

  private constructor(ca: Certificate) {
    this.ca = ca;
  }

  static async create(name = 'test authority'): Promise<Authority> {
    const ca = await createCertificate(name, {
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority(ca);
  }

  /** Signs a certificate with this name for servers at localhost and 127.0.0.1, and for clients. */
  sign(commonName: string): Promise<Certificate> {
    return createCertificate(commonName, {
      ca: this.ca,
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
  }
}

/** Writes a certificate and its key as `<name>.crt` and `<name>.key`, and returns the paths. */
export function writeCertificate(folder: string, name: string, { cert, key }: Certificate): Certificate {
  return { cert: writeText(folder, `${name}.crt`, cert), key: writeText(folder, `${name}.key`, key) };
}

export function writeText(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
