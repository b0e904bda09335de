/**
 * How long each request to a broker is tried: the only place that says so, beside docs/reference/retries.md. A request has one
 * of these budgets and no other around it; what fails after it is claimed again by the stream's schedule.
 */
import type { Backoff } from '#timing/backoff.ts';
import { retry } from '#timing/retry.ts';
import { StreamError } from '../../errors.ts';
import type { BrokerConnections } from './connections.ts';
import { isDisconnected, isMoved, isTransient, toStreamError } from './errors.ts';
import type { Connection } from './library.ts';

type Budget = Backoff & { readonly deadlineMs: number };

/**
 * Requests of a transaction, and those of a claim that fence and decide: while the broker says that it is busy or has moved.
 * After a lost connection the outcome is unknown, and nothing is repeated. Below a transaction's timeout; the first waits are
 * short since a transaction is completed within some milliseconds after its commit was answered.
 */
const TRANSACTION: Budget = { firstMs: 2, ceilingMs: 50, factor: 1.5, deadlineMs: 5_000 };
/** Questions about topics and offsets: also while no broker answers. */
const LOOKUP: Budget = { firstMs: 2, ceilingMs: 100, factor: 1.5, deadlineMs: 7_000 };
/** Reads of one partition, also while no broker answers: a restart of a broker is no failure. */
export const READ: Budget = { firstMs: 5, ceilingMs: 500, deadlineMs: 30_000 };

/** Asks again what the broker could not do at this moment; `forget` is called where the broker has moved. */
export function retryTransient<T>(ask: () => Promise<T>, forget?: () => void): Promise<T> {
  return retry(ask, {
    ...TRANSACTION,
    passes(error) {
      if (isMoved(error)) forget?.();
      return isTransient(error);
    },
  });
}

/** Asks the coordinator of a transactional id. */
export function onCoordinator<T>(
  connections: BrokerConnections,
  transactionalId: string,
  ask: (coordinator: Connection) => Promise<T>,
): Promise<T> {
  return retryTransient(
    async () => ask(await connections.coordinator('transaction', transactionalId)),
    () => connections.forget(),
  );
}

/** Asks until a broker answers, also through its restart. Rejects with `StreamError`. */
export function untilAnswered<T>(
  connections: BrokerConnections,
  doing: string,
  ask: () => Promise<T>,
): Promise<T> {
  return retry(ask, {
    ...LOOKUP,
    passes(error) {
      const isAway = error instanceof StreamError && error.code === 'UNAVAILABLE';
      const passes = isAway || isTransient(error) || isDisconnected(error);
      if (passes) connections.forget();
      return passes && !connections.isClosed;
    },
  }).catch((error: unknown) => {
    throw toStreamError(doing, error);
  });
}
