/** The retry budgets of all requests to brokers (docs/reference/retries.md). When one is used up, the stream claims the task again. */
import { type Backoff, retry } from '#timing/retry.ts';
import { StreamError } from '../../errors.ts';
import type { BrokerConnections } from './connections.ts';
import { isMoved, isRetryable, isTransient, toStreamError } from './errors.ts';
import type { Connection } from './library.ts';

type RetryBudget = Backoff & { readonly deadlineMs: number };

/** Budget of a transaction's requests and a claim's, while the broker is busy or has moved. It completes a commit within milliseconds. */
const TRANSACTION: RetryBudget = { firstMs: 2, ceilingMs: 50, factor: 1.5, deadlineMs: 5_000 };
/** Budget of requests about topics and offsets; retries also while no broker responds. */
const LOOKUP: RetryBudget = { firstMs: 2, ceilingMs: 100, factor: 1.5, deadlineMs: 7_000 };
/** Budget of reading one partition; retries also while no broker responds, as a restart of a broker is no failure. */
export const READ: RetryBudget = { firstMs: 5, ceilingMs: 500, deadlineMs: 30_000 };

/** Retries a request while its errors are transient. Calls `forget` when the coordinator or the leader has moved. */
export function retryTransient<T>(request: () => Promise<T>, forget?: () => void): Promise<T> {
  return retry(request, {
    ...TRANSACTION,
    passes(error) {
      if (isMoved(error)) forget?.();
      return isTransient(error);
    },
  });
}

/** Sends a request to the coordinator of a transactional id, and retries transient errors. */
export function onCoordinator<T>(
  connections: BrokerConnections,
  transactionalId: string,
  request: (coordinator: Connection) => Promise<T>,
): Promise<T> {
  return retryTransient(
    async () => request(await connections.coordinator('transaction', transactionalId)),
    () => connections.forget(),
  );
}

/** Retries a request until a broker responds, also through its restart. Rejects with `StreamError`; `doing` names the request. */
export function untilAnswered<T>(
  connections: BrokerConnections,
  doing: string,
  request: () => Promise<T>,
): Promise<T> {
  return retry(request, {
    ...LOOKUP,
    passes(error) {
      const isUnavailable = error instanceof StreamError && error.code === 'UNAVAILABLE';
      if (!isUnavailable && !isRetryable(error)) return false;
      connections.forget();
      return !connections.isClosed;
    },
  }).catch((error: unknown) => {
    throw toStreamError(doing, error);
  });
}
