import { setTimeout as delay } from 'node:timers/promises';
import { findErrorBy } from '@platformatic/kafka';
import { isPassing } from '#streams/platformatic/errors.ts';

const RETRY_FOR_MS = 60_000;
const RETRY_MS = 1;

/** Asks again while the broker completes what was asked before, or does not know yet what was just made. */
export async function again<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_FOR_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isNew = error instanceof Error && findErrorBy(error, 'apiId', 'UNKNOWN_TOPIC_ID') !== null;
      if (!(isNew || isPassing(error)) || performance.now() > until) throw error;
      await delay(RETRY_MS);
    }
  }
}
