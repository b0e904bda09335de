import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A certificate and its key, as PEM. */
export type Certificate = { readonly cert: string; readonly key: string };

/** A new certificate authority. */
export class Authority {
  readonly ca: Certificate;

  private constructor(ca: Certificate) {
    this.ca = ca;
  }

  static async create(name = 'test authority'): Promise<Authority> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority({ cert, key });
  }

  /** Signs a certificate with this name for servers at localhost and 127.0.0.1, and for clients. */
  async sign(commonName: string): Promise<Certificate> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
      keyType: 'ec',
      algorithm: 'sha256',
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
    return { cert, key };
  }
}

/** Writes a certificate and its key as `<name>.crt` and `<name>.key`, and returns the paths. */
export function writeCertificate(folder: string, name: string, { cert, key }: Certificate): Certificate {
  return { cert: writeText(folder, `${name}.crt`, cert), key: writeText(folder, `${name}.key`, key) };
}

/** Writes a file and returns its path. */
export function writeText(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
