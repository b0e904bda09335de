import { describe, expect, test } from 'vitest';
import type { WebhookAttempt } from '#records/types.ts';
import { carryOver, catchUp } from './carry-over.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from './progress.ts';

const DAY = 86_400_000;
const offsets = (...at: number[]) => at.map((offset, partition) => ({ partition, offset }));

function attempt(
  kind: AttemptKind,
  day: number,
  epoch: number,
  fields: Partial<WebhookAttempt> = {},
): WebhookAttempt {
  return attemptOf({ subscription_id: 's', client_id: 1, kind, epoch, at: day * DAY }, fields);
}

const fold = (attempts: readonly WebhookAttempt[]): DeliveryProgress =>
  attempts.reduce<DeliveryProgress>(applyAttempt, null);

/** The log of a subscription of day 0: delivered, failed, resent, skipped, and disabled by an operator. */
const LOG = [
  attempt('started', 0, 1, { next: offsets(0, 0) }),
  attempt('delivered', 20, 1, { next: [{ partition: 0, offset: 900 }], outcome: 'accepted' }),
  attempt('resent', 21, 1, { next: offsets(100, 0) }),
  attempt('delivered', 22, 2, { next: offsets(950, 800), outcome: 'accepted' }),
  attempt('failed', 23, 2, {
    attempt: 4,
    started_at: 23 * DAY,
    outcome: 'timeout',
    next_attempt_at: 24 * DAY,
  }),
  attempt('skipped', 25, 2, { next: [{ partition: 1, offset: 810 }] }),
  attempt('failed', 26, 3, {
    attempt: 1,
    started_at: 26 * DAY,
    outcome: 'failed',
    reason: 'CERT_HAS_EXPIRED',
    next_attempt_at: 27 * DAY,
  }),
  attempt('disabled', 32, 3, { reason: 'operator' }),
];
const IN_ALL = fold(LOG);
/** Returns the progress without its epoch, which a new log counts from 1, and without its last delivery. */
const kept = (progress: DeliveryProgress) => ({ ...progress, epoch: 0, delivered_at: null });

describe('catchUp', () => {
  test('returns the same from any committed progress and any kept end of the log', () => {
    for (let committed = 1; committed <= LOG.length; committed++)
      for (let first = 0; first <= committed; first++)
        expect([committed, first, catchUp(fold(LOG.slice(0, committed)), LOG.slice(first))]).toEqual([
          committed,
          first,
          IN_ALL,
        ]);
  });

  test('applies an order of a process whose clock is behind', () => {
    const order = attempt('disabled', 31, 4, { reason: 'operator' });
    expect(catchUp(fold([...LOG, attempt('enabled', 33, 4)]), [{ ...order, epoch: 5 }])?.disabled).toBe(
      'operator',
    );
  });

  test('returns the progress of the log if none is committed', () => {
    expect(catchUp(null, LOG)).toEqual(IN_ALL);
    expect(catchUp(null, LOG.slice(1))).toBeNull();
  });

  test('returns null for a removed subscription', () => {
    expect(catchUp(IN_ALL, [attempt('removed', 33, 4)])).toBeNull();
  });
});

describe('carryOver', () => {
  test.each(LOG.map((_, at) => [at + 1]))('restores the progress after %i records', (count) => {
    const progress = fold(LOG.slice(0, count));
    if (progress === null) throw new Error('no progress');
    const restored = kept(fold(carryOver(progress)));
    const { failing_since, last_outcome, last_reason } = progress;
    expect(restored).toEqual({
      ...kept(progress),
      last_outcome: failing_since === null ? null : last_outcome,
      last_reason: failing_since === null ? null : last_reason,
    });
  });

  test('restores a subscription that was disabled because it failed', () => {
    const disabled = fold([...LOG.slice(0, 5), attempt('disabled', 24, 2, { reason: 'failing' })]);
    if (disabled === null) throw new Error('no progress');
    expect(fold(carryOver(disabled))).toMatchObject({ disabled: 'failing', next: offsets(950, 800) });
  });

  test('changes nothing if the log still has the start', () => {
    if (IN_ALL === null) throw new Error('no progress');
    expect(kept(fold([...LOG, ...carryOver(IN_ALL)]))).toEqual(kept(IN_ALL));
  });
});
