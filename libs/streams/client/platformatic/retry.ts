import { retry } from '#timing/retry.ts';
import { isMoved, isTransient } from './errors.ts';

/** How long a broker may be busy with an earlier request, or not know yet what it leads. Below a transaction's timeout. */
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
export function retryTransient<T>(
  ask: () => Promise<T>,
  { forget, deadlineMs = DEADLINE_MS }: RetryOptions = {},
): Promise<T> {
  return retry(ask, {
    ...{ firstMs: FIRST_RETRY_MS, ceilingMs: RETRY_CEILING_MS, factor: 1.5, deadlineMs },
    passes(error) {
      if (isMoved(error)) forget?.();
      return isTransient(error);
    },
  });
}
