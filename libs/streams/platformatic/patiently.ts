import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from './errors.ts';

/** How long a broker may be busy with what was asked before, or not know yet what it leads. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 2;

/** Asks again, for a while, what the broker could not do at this moment. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    // As of the question: an answer that came late is no reason not to ask again.
    const isLast = performance.now() > deadline;
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || isLast) throw error;
      await delay(RETRY_MS);
    }
  }
}
