import type { LogEntry, logCreator } from 'kafkajs';
import type { Logger } from '../../log.ts';

/**
 * Writes kafkajs's log lines to our log, all at debug: most of its errors are retries in progress, and a final failure
 * reaches its caller as an error, which is logged there.
 */
export function kafkaLogCreator(log: Logger): logCreator {
  return () => (entry: LogEntry) => {
    const { message, timestamp: _, ...fields } = entry.log;
    log.debug({ kafkajs: entry.namespace, ...fields }, message);
  };
}
