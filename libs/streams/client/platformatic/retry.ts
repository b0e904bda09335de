import { setTimeout as delay } from 'node:timers/promises';
import { isMoved, isTransient } from './errors.ts';

/** How long a broker may be busy with what was asked before, or not know yet what it leads. Below a transaction's time. */
const DEADLINE_MS = 5_000;
/** A transaction is completed within some milliseconds after its commit was answered. */
const FIRST_RETRY_MS = 2;
const RETRY_CEILING_MS = 50;

/** What is asked again, and where. */
export type RetryOptions = {
  /** Forgets where leaders and coordinators are. */
  readonly forget?: () => void;
  readonly deadlineMs?: number;
};

/** Asks again, for a while, what the broker could not do at this moment; looks for the broker again where it has moved. */
export async function retryTransient<T>(
  ask: () => Promise<T>,
  { forget, deadlineMs = DEADLINE_MS }: RetryOptions = {},
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 1.5, RETRY_CEILING_MS)) {
    // As of the question: an answer that came late is no reason not to ask again.
    const isLast = performance.now() > deadline;
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || isLast) throw error;
      if (isMoved(error)) forget?.();
      await delay(wait);
    }
  }
}
