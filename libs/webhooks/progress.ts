/** What the records of webhook-attempts make of a subscription's progress. Pure. */
import type { WebhookAttempt, WebhookOffset, WebhookProgress } from '#topics/generated/types.ts';

/** What a record of webhook-attempts tells. */
export type AttemptKind =
  /** Somebody knows of the subscription: it is delivered from `next` on. */
  | 'started'
  /** A batch was accepted: everything before `next` is delivered. */
  | 'delivered'
  /** A batch was not accepted. */
  | 'failed'
  /** Nothing before `next` is for this subscription, beyond what was delivered. */
  | 'passed'
  /** Records before `next` expired before they were delivered. */
  | 'lost'
  /** Nothing is sent from now on; `reason` says why. For `failing` only where it still fails. */
  | 'disabled'
  /** It is sent again, from where it was. */
  | 'enabled'
  /** It is sent again from `next` on, enabled where it was not. */
  | 'resent'
  /** The subscription is gone. */
  | 'removed';

/** What every record of webhook-attempts says. */
export type AttemptHead = Pick<WebhookAttempt, 'subscription_id' | 'client_id' | 'epoch' | 'at'> & {
  readonly kind: AttemptKind;
};

/** A record of webhook-attempts; what is not told is none. */
export function attemptOf(head: AttemptHead, fields: Partial<WebhookAttempt> = {}): WebhookAttempt {
  return {
    ...{ started_at: null, attempt: 0, outcome: null, status: null, reason: null, messages: 0, bytes: 0 },
    ...{ first: null, last: null, next: [], next_attempt_at: null },
    ...{ ...head, ...fields },
  };
}

/** Progress without its record's way to be missing; null where there is none: not started yet, or removed. */
export type Progress = WebhookProgress | null;

/**
 * The progress after a record. Records of orders (disabled, enabled, resent) begin an epoch; what an earlier epoch began
 * moves nothing any more, and within one epoch nothing moves back: a record told twice, or late by a dispatcher that lost
 * its partition, does no harm. The same object where nothing changed.
 */
export function applyAttempt(progress: Progress, attempt: WebhookAttempt): Progress {
  const { kind, at } = attempt;
  if (kind === 'removed') return null;
  if (progress === null) {
    // Without a start nothing is known to go on from.
    return kind === 'started' || kind === 'resent' ? begin(attempt) : null;
  }
  switch (kind) {
    case 'enabled':
      return { ...progress, ...RESTED, epoch: progress.epoch + 1, disabled: null, updated_at: at };
    case 'disabled':
      // A dispatcher that lost its partition may judge by what is no longer so.
      if (attempt.reason === 'failing' && !isFailingIn(progress, attempt.epoch)) return progress;
      return {
        ...{ ...progress, ...RESTED, epoch: progress.epoch + 1, updated_at: at },
        // How long it has failed stays to be seen.
        failing_since: progress.failing_since,
        disabled: attempt.reason ?? 'operator',
      };
    case 'resent':
      return {
        ...{ ...progress, ...RESTED, epoch: progress.epoch + 1, disabled: null, updated_at: at },
        next: sorted(attempt.next),
      };
  }
  if (attempt.epoch !== progress.epoch) return progress;
  switch (kind) {
    case 'delivered':
      return {
        ...{ ...progress, ...RESTED, updated_at: at },
        ...{ next: furthest(progress.next, attempt.next), last_outcome: attempt.outcome, delivered_at: at },
      };
    case 'failed':
      return {
        ...progress,
        attempts: attempt.attempt,
        failing_since: progress.failing_since ?? attempt.started_at,
        next_attempt_at: attempt.next_attempt_at,
        last_outcome: attempt.outcome,
        updated_at: at,
      };
    case 'passed':
    case 'lost':
      return { ...progress, next: furthest(progress.next, attempt.next), updated_at: at };
    default:
      return progress;
  }
}

function isFailingIn({ epoch, failing_since }: WebhookProgress, since: number): boolean {
  return epoch === since && failing_since !== null;
}

const RESTED = { attempts: 0, failing_since: null, next_attempt_at: null };

function begin({ subscription_id, client_id, next, at }: WebhookAttempt): WebhookProgress {
  return {
    ...{ subscription_id, client_id, epoch: 1, next: sorted(next), ...RESTED },
    ...{ last_outcome: null, delivered_at: null, disabled: null, updated_at: at },
  };
}

function furthest(a: readonly WebhookOffset[], b: readonly WebhookOffset[]): WebhookOffset[] {
  const offsets = new Map(a.map(({ partition, offset }) => [partition, offset]));
  for (const { partition, offset } of b)
    offsets.set(partition, Math.max(offset, offsets.get(partition) ?? 0));
  return sorted(Array.from(offsets, ([partition, offset]) => ({ partition, offset })));
}

function sorted(offsets: readonly WebhookOffset[]): WebhookOffset[] {
  return offsets.toSorted((a, b) => a.partition - b.partition);
}
