/** Keeps the progress of subscriptions when it is rebuilt from webhook-attempts, whose first records have expired. Pure. */
import type { WebhookAttempt, WebhookProgress } from '#records/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from './progress.ts';

/** Kinds that change the progress each time they are applied: they begin an epoch, or end the subscription. */
const ORDERS: ReadonlySet<string> = new Set<AttemptKind>([
  'enabled',
  'disabled',
  'resent',
  'skipped',
  'removed',
]);

/**
 * Returns the progress after all kept records of a subscription, in the order of the log. The committed progress already
 * contains some of them: an outcome may be applied twice; an order that is older and of an earlier epoch is skipped.
 */
export function catchUp(committed: DeliveryProgress, kept: readonly WebhookAttempt[]): DeliveryProgress {
  if (committed === null) return kept.reduce(applyAttempt, committed);
  const isKnown = ({ kind, epoch, at }: WebhookAttempt): boolean =>
    ORDERS.has(kind) && at <= committed.updated_at && epoch < committed.epoch;
  return kept.filter((attempt) => !isKnown(attempt)).reduce<DeliveryProgress>(applyAttempt, committed);
}

/** Returns records that restore a progress from nothing: its offsets, its failure, and whether it is disabled. */
export function carryOver(progress: WebhookProgress): WebhookAttempt[] {
  const { subscription_id, client_id, updated_at: at } = progress;
  const record = (kind: AttemptKind, fields: Partial<WebhookAttempt>): WebhookAttempt =>
    attemptOf({ subscription_id, client_id, kind, epoch: 1, at }, fields);
  const records = [record('started', { next: progress.next, reason: 'rebuild' })];
  if (progress.failing_since !== null)
    records.push(
      record('failed', {
        started_at: progress.failing_since,
        attempt: progress.attempts,
        outcome: progress.last_outcome,
        next_attempt_at: progress.next_attempt_at,
        reason: progress.last_reason,
      }),
    );
  if (progress.disabled !== null) records.push(record('disabled', { reason: progress.disabled }));
  return records;
}
