/** Metrics of a process's host: the expiry of its certificates, and the disk of its data. */
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import { type CertificateFile, validityOf } from './certificates.ts';

type Host = {
  readonly certificates: readonly CertificateFile[];
  /** Null: the process keeps no data. */
  readonly dataDir: string | null;
};

/** Registers the metrics. They are read on each scrape; one that cannot be read has no value. */
export function hostMetrics(registry: Registry, { certificates, dataDir }: Host): void {
  const registers = [registry];
  if (certificates.length > 0)
    new Gauge({
      name: 'touchline_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of a setting expires, Unix seconds.',
      labelNames: ['setting'],
      registers,
      collect() {
        for (const file of certificates) {
          const { setting } = file;
          try {
            this.set({ setting }, validityOf(file).to / 1_000);
          } catch {
            this.remove({ setting });
          }
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
