/** Folds the records of webhook-attempts into a subscription's progress. Pure. */
import type { WebhookAttempt, WebhookOffset, WebhookProgress } from '#records/types.ts';

/** The kind of a record of webhook-attempts. */
export type AttemptKind =
  /** The first record of a subscription: it is delivered from `next` on. */
  | 'started'
  /** A batch was accepted: everything before `next` is delivered. */
  | 'delivered'
  /** A batch was not accepted; it will be sent again. */
  | 'failed'
  /** No record before `next` is for this subscription, beyond the delivered ones. */
  | 'passed'
  /** Records before `next` expired before they were delivered. */
  | 'lost'
  /** Deliveries stop; `reason` says why. The reason `failing` counts only if the subscription still fails. */
  | 'disabled'
  /** Deliveries resume where they stopped. */
  | 'enabled'
  /** Deliveries resume from `next` on if that is further back; enables a disabled subscription. */
  | 'resent'
  /** Everything before `next` is given up undelivered, by an operator. */
  | 'skipped'
  /** The subscription is gone. */
  | 'removed';

/** The fields of every record of webhook-attempts. */
export type AttemptHead = Pick<WebhookAttempt, 'subscription_id' | 'client_id' | 'epoch' | 'at'> & {
  readonly kind: AttemptKind;
};

/** Creates a record of webhook-attempts; fields that are not given are null, 0 or empty. */
export function attemptOf(head: AttemptHead, fields: Partial<WebhookAttempt> = {}): WebhookAttempt {
  return {
    started_at: null,
    attempt: 0,
    outcome: null,
    status: null,
    reason: null,
    messages: 0,
    left_out: 0,
    bytes: 0,
    first: null,
    last: null,
    next: [],
    next_attempt_at: null,
    ...head,
    ...fields,
  };
}

/** The progress of a subscription; null before its start and after its removal. */
export type DeliveryProgress = WebhookProgress | null;

/**
 * Returns the progress after a record; the same object if nothing changed. Orders (disabled, enabled, resent, skipped)
 * begin an epoch. Outcomes of an earlier epoch change nothing, and within an epoch `next` never moves back: duplicates,
 * and late records of a fenced dispatcher, do no harm.
 */
export function applyAttempt(progress: DeliveryProgress, attempt: WebhookAttempt): DeliveryProgress {
  const { kind, at } = attempt;
  if (kind === 'removed') return null;
  if (progress === null) {
    // Without a start there are no offsets.
    return kind === 'started' ? begin(attempt) : null;
  }
  const recovered = { ...progress, ...NO_FAILURE, updated_at: at };
  const ordered = { ...recovered, epoch: progress.epoch + 1 };
  switch (kind) {
    case 'enabled':
      return { ...ordered, disabled: null };
    case 'disabled':
      // A dispatcher that lost its partition may report outdated failures.
      if (attempt.reason === 'failing' && !isFailingIn(progress, attempt.epoch)) return progress;
      // The duration of the failure counts from the next attempt.
      return { ...ordered, failing_since: progress.failing_since, disabled: attempt.reason ?? 'operator' };
    case 'resent':
      return { ...ordered, disabled: null, next: moved(progress.next, attempt.next, Math.min) };
    case 'skipped':
      return { ...ordered, next: moved(progress.next, attempt.next, Math.max) };
  }
  if (attempt.epoch !== progress.epoch) return progress;
  switch (kind) {
    case 'delivered':
      return {
        ...recovered,
        next: moved(progress.next, attempt.next, Math.max),
        last_outcome: attempt.outcome,
        last_reason: null,
        delivered_at: at,
        left_out: progress.left_out + attempt.left_out,
      };
    case 'failed':
      return {
        ...progress,
        attempts: attempt.attempt,
        failing_since: progress.failing_since ?? attempt.started_at,
        next_attempt_at: attempt.next_attempt_at,
        last_outcome: attempt.outcome,
        last_reason: attempt.reason ?? (attempt.status === null ? null : String(attempt.status)),
        updated_at: at,
      };
    case 'passed':
    case 'lost':
      return {
        ...progress,
        next: moved(progress.next, attempt.next, Math.max),
        left_out: progress.left_out + attempt.left_out,
        updated_at: at,
      };
    default:
      return progress;
  }
}

function isFailingIn({ epoch: current, failing_since }: WebhookProgress, epoch: number): boolean {
  return current === epoch && failing_since !== null;
}

const NO_FAILURE = { attempts: 0, failing_since: null, next_attempt_at: null };

function begin({ subscription_id, client_id, next, at }: WebhookAttempt): WebhookProgress {
  return {
    subscription_id,
    client_id,
    epoch: 1,
    next: sorted(next),
    ...NO_FAILURE,
    left_out: 0,
    last_outcome: null,
    last_reason: null,
    delivered_at: null,
    disabled: null,
    updated_at: at,
  };
}

/** Combines the offsets of each partition by `choose`; a partition of only one list keeps its offset. */
function moved(
  a: readonly WebhookOffset[],
  b: readonly WebhookOffset[],
  choose: (one: number, other: number) => number,
): WebhookOffset[] {
  const offsets = new Map(a.map(({ partition, offset }) => [partition, offset]));
  for (const { partition, offset } of b)
    offsets.set(partition, choose(offset, offsets.get(partition) ?? offset));
  return sorted(Array.from(offsets, ([partition, offset]) => ({ partition, offset })));
}

function sorted(offsets: readonly WebhookOffset[]): WebhookOffset[] {
  return offsets.toSorted((a, b) => a.partition - b.partition);
}
