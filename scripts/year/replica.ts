/** A second api of the year, behind TLS and with its views on a disk of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestService } from '../../test/support/processes.ts';
import type { ServerCertificate } from './customer.ts';

const DISK_MIB = 256;

export class SecureReplica {
  /** Its folder: a small disk where this machine may mount one. */
  readonly disk: string;
  readonly hasDisk: boolean;
  readonly #tls: string;
  #isMounted: boolean;
  #service: TestService | null = null;

  constructor(folder: string) {
    this.disk = join(folder, 'replica');
    this.#tls = join(folder, 'tls');
    mkdirSync(this.disk);
    mkdirSync(this.#tls);
    this.hasDisk = mounts(this.disk);
    this.#isMounted = this.hasDisk;
  }

  /** Writes its certificate, which a running replica reads. */
  certify({ cert, key }: ServerCertificate): void {
    writeFileSync(join(this.#tls, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(this.#tls, 'cert.pem'), cert);
  }

  /** Starts it with the api of the release in that folder. */
  async start(release: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
    const child = spawn(process.execPath, [join(release, 'services/api/main.ts')], {
      env: {
        ...env,
        API_PORT: '0',
        METRICS_PORT: '0',
        DRAIN_MS: '0',
        DATA_DIR: this.disk,
        TOUCHLINE_PARENT_PIPE: '1',
        HTTP_TLS_CERT_FILE: join(this.#tls, 'cert.pem'),
        HTTP_TLS_KEY_FILE: join(this.#tls, 'key.pem'),
      },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#service = new TestService(child, askSecurely);
    await this.#service.ready();
  }

  async metric(name: string): Promise<number> {
    if (this.#service === null) throw new Error('the replica is not started');
    return this.#service.metric(name);
  }

  /** Fills its disk to a share of it, and returns what removes the filling. */
  async fill(share: number): Promise<() => void> {
    const path = join(this.disk, 'filling');
    const total = await this.metric('touchline_data_disk_bytes');
    const free = await this.metric('touchline_data_disk_free_bytes');
    writeFileSync(path, Buffer.alloc(Math.max(0, Math.floor(free - total * (1 - share)))));
    return () => rmSync(path);
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    if (this.#isMounted) execFileSync('umount', [this.disk]);
    this.#isMounted = false;
  }
}

/** Requests its metrics and health; any certificate will do, also an expired one. */
function askSecurely(port: number, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
    asked.on('response', (response) => {
      const isOk = response.statusCode === 200;
      text(response).then(
        (body) => resolve(isOk ? body : undefined),
        () => resolve(undefined),
      );
    });
    asked.on('error', () => resolve(undefined)).end();
  });
}

/** Mounts a small disk in memory. Returns whether this machine allows it. */
function mounts(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
