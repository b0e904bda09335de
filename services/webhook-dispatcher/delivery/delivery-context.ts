import type { WebhookEndpoint } from '#outbound/endpoint.ts';
import type { WebhookAttempt } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import { jittered } from '#timing/backoff.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { BacklogReader } from './backlog-reader.ts';
import type { BatchLimits } from './batch.ts';
import type { MessageWindow } from './message-window.ts';
import type { Subscription } from './subscriptions.ts';

export type DeliveryEndpoint = Pick<WebhookEndpoint, 'post' | 'close'>;

/** Dependencies and limits that all deliveries of a process share. */
export type DispatchContext = {
  readonly window: MessageWindow;
  readonly backlog: Pick<BacklogReader, 'read'>;
  readonly openEndpoint: (subscription: Subscription) => DeliveryEndpoint;
  /** Returns the offsets of webhook-messages, by partition, at which a subscription without progress starts. */
  readonly startOf: (subscription: Subscription) => Promise<readonly number[]>;
  /** Publishes to webhook-attempts. Resolves when the record is acknowledged; rejects when the process stops. */
  readonly record: (attempt: WebhookAttempt) => Promise<void>;
  /** Publishes pending records at once, as a delivery waits for them. */
  readonly hurry: () => void;
  readonly limits: BatchLimits;
  /** Delays after consecutive failed attempts, milliseconds; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** Time of failing attempts after which a subscription is disabled, milliseconds. */
  readonly disableAfterMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly metrics: DispatcherMetrics;
  readonly log: Logger;
};

/** Maximum `Retry-After` that is honoured, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Maximum random share added to or subtracted from a delay: deliveries that fail together must not retry together. */
const JITTER = 0.2;

/**
 * Returns the delay after `attempts` consecutive failed attempts (from 1), milliseconds: at least the answer's
 * `Retry-After`, up to its maximum. `random`: from 0 to 1.
 */
export function retryDelayMs(
  delaysMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const delay = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const spread = Math.round(jittered(delay, JITTER, random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}
