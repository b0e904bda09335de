import { Counter } from 'prom-client';
import { onUnreadable } from '#topics/readable.ts';
import type { Logger } from './logger.ts';
import type { Registry } from './metrics.ts';

/** Logs and counts the records that a process leaves out because nobody can read them (`libs/topics/readable.ts`). */
export function reportUnreadableRecords(metrics: Registry, log: Logger): void {
  const count = new Counter({
    name: 'touchline_unreadable_records_total',
    help: 'Records that nobody can read, and that this process left out.',
    labelNames: ['topic'],
    registers: [metrics],
  });
  onUnreadable(({ topic, partition, offset, error }) => {
    count.inc({ topic });
    log.error({ err: error, topic, partition, offset }, 'a record that nobody can read is left out');
  });
}
