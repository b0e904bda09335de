/** Metrics of a process's host: the expiry of its certificate, and the disk of its data. */
import { X509Certificate } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import { readServerTls, type ServerTlsFiles } from './server-tls.ts';

type Host = {
  /** Null: the process serves plain HTTP. */
  readonly tls: ServerTlsFiles | null;
  /** Null: the process keeps no data. */
  readonly dataDir: string | null;
};

/** Registers the metrics. They are read on each scrape; one that cannot be read has no value. */
export function hostMetrics(registry: Registry, { tls, dataDir }: Host): void {
  const registers = [registry];
  if (tls !== null)
    new Gauge({
      name: 'touchline_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of HTTP_TLS_CERT_FILE expires, Unix seconds.',
      registers,
      collect() {
        try {
          this.set(Date.parse(new X509Certificate(readServerTls(tls).cert).validTo) / 1_000);
        } catch {
          this.remove();
        }
      },
    });
  if (dataDir === null) return;
  const size = new Gauge({
    name: 'touchline_data_disk_bytes',
    help: 'Size of the disk with DATA_DIR.',
    registers,
  });
  new Gauge({
    name: 'touchline_data_disk_free_bytes',
    help: 'Free space of that disk for this process.',
    registers,
    async collect() {
      try {
        const { bsize, blocks, bavail } = await statfs(dataDir);
        size.set(bsize * blocks);
        this.set(bsize * bavail);
      } catch {
        this.remove();
        size.remove();
      }
    },
  });
}
