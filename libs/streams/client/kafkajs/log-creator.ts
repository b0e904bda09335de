import type { LogEntry, logCreator } from 'kafkajs';
import type { Logger } from '../../log.ts';

/**
 * kafkajs's log lines in our log, all of them at debug: what it calls errors are mostly retries that it goes on to
 * make, and what fails for good reaches its caller as an error, which is logged there.
 */
export function kafkaLogCreator(log: Logger): logCreator {
  return () => (entry: LogEntry) => {
    const { message, timestamp: _, ...fields } = entry.log;
    log.debug({ kafkajs: entry.namespace, ...fields }, message);
  };
}
