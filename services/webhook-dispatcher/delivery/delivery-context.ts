import type { WebhookEndpoint } from '#outbound/endpoint.ts';
import type { Logger } from '#streams/log.ts';
import type { WebhookAttempt } from '#topics/generated/types.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { BacklogReader } from './backlog-reader.ts';
import type { BatchLimits } from './batch.ts';
import type { MessageWindow } from './message-window.ts';
import type { Subscription } from './subscriptions.ts';

export type Endpoint = Pick<WebhookEndpoint, 'post' | 'close'>;

/** What all deliveries of a process share. */
export type DispatchContext = {
  readonly window: MessageWindow;
  readonly backlog: Pick<BacklogReader, 'read'>;
  readonly openEndpoint: (subscription: Subscription) => Endpoint;
  /** Offsets of webhook-messages, by partition, from which a subscription that has no progress is delivered. */
  readonly startOf: (subscription: Subscription) => Promise<readonly number[]>;
  /** Resolves when the record is on webhook-attempts. Rejects where the process is stopped. */
  readonly record: (attempt: WebhookAttempt) => Promise<void>;
  /** Publishes pending records at once: a delivery waits for them. */
  readonly hurry: () => void;
  readonly limits: BatchLimits;
  /** Milliseconds to wait after the first failed attempt in a row, after the second, and so on; the last for all others. */
  readonly delaysMs: readonly number[];
  /** How long attempts fail before the subscription is disabled, milliseconds. */
  readonly disableAfterMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly metrics: DispatcherMetrics;
  readonly log: Logger;
};
