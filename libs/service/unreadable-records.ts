import { Counter } from 'prom-client';
import { onUnreadable } from '#topics/readable.ts';
import type { Logger } from './logger.ts';
import type { Registry } from './metrics.ts';

const MAX_CAUSES = 1_000;

/** Counts, and logs once for each topic and reason, the records that a process leaves out because nobody can read them (`libs/topics/readable.ts`). */
export function reportUnreadableRecords(metrics: Registry, log: Logger): void {
  const count = new Counter({
    name: 'touchline_unreadable_records_total',
    help: 'Records that nobody can read, and that this process left out.',
    labelNames: ['topic'],
    registers: [metrics],
  });
  // One cause, such as a registry without a schema, may concern every record of a topic.
  const logged = new Set<string>();
  onUnreadable(({ topic, partition, offset, error }) => {
    count.inc({ topic });
    const cause = `${topic} ${error.message}`;
    if (logged.has(cause)) return;
    if (logged.size >= MAX_CAUSES) logged.clear();
    logged.add(cause);
    log.error(
      { err: error, topic, partition, offset },
      'a record that nobody can read is left out; others for the same reason are only counted',
    );
  });
}
