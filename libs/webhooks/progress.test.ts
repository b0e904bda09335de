import { describe, expect, test } from 'vitest';
import type { WebhookAttempt } from '#records/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from './progress.ts';

const offsets = (...at: number[]) => at.map((offset, partition) => ({ partition, offset }));

function attempt(kind: AttemptKind, change: Partial<WebhookAttempt> = {}): WebhookAttempt {
  const head = { subscription_id: 's', client_id: 1, kind, epoch: 1, at: 100 };
  return attemptOf(head, { started_at: 90, ...change });
}

const fold = (...attempts: WebhookAttempt[]): DeliveryProgress =>
  attempts.reduce<DeliveryProgress>(applyAttempt, null);

const STARTED = attempt('started', { next: offsets(5, 7) });
const FAILED = attempt('failed', { attempt: 3, outcome: 'timeout', next_attempt_at: 200 });

describe('progress', () => {
  test('only moves forward, with delivered or passed records', () => {
    expect(
      fold(
        STARTED,
        attempt('delivered', { next: [{ partition: 1, offset: 9 }], outcome: 'accepted' }),
        attempt('delivered', { next: offsets(6, 8), outcome: 'accepted' }),
        attempt('passed', { next: [{ partition: 0, offset: 8 }] }),
        attempt('lost', { next: [{ partition: 0, offset: 7 }] }),
      ),
    ).toMatchObject({ next: offsets(8, 9), last_outcome: 'accepted', delivered_at: 100 });
  });

  test('stores the time since which attempts fail, until one is accepted', () => {
    const failing = fold(STARTED, FAILED, { ...FAILED, started_at: 150, attempt: 4, next_attempt_at: 300 });
    expect(failing).toMatchObject({
      attempts: 4,
      failing_since: 90,
      next_attempt_at: 300,
      next: offsets(5, 7),
    });
    expect(applyAttempt(failing, attempt('delivered'))).toMatchObject({
      attempts: 0,
      failing_since: null,
      next_attempt_at: null,
    });
  });

  test('continues at the same offset after it was disabled and enabled, without the failed attempts', () => {
    const disabled = fold(STARTED, FAILED, attempt('disabled', { reason: 'failing' }));
    expect(disabled).toMatchObject({ epoch: 2, disabled: 'failing', failing_since: 90 });
    expect(applyAttempt(disabled, attempt('enabled'))).toMatchObject({
      epoch: 3,
      disabled: null,
      attempts: 0,
      failing_since: null,
      next: offsets(5, 7),
    });
  });

  test('moves back by an order to resend, which also enables the subscription', () => {
    expect(
      fold(STARTED, attempt('disabled', { reason: 'operator' }), attempt('resent', { next: offsets(1, 2) })),
    ).toMatchObject({ epoch: 3, disabled: null, next: offsets(1, 2) });
  });

  test('is never moved forward by an order to resend: waiting messages are sent too', () => {
    const resent = fold(STARTED, attempt('resent', { next: offsets(9, 2) }));
    expect(resent).toMatchObject({ epoch: 2, next: offsets(5, 2) });
    expect(applyAttempt(null, attempt('resent', { next: offsets(9, 2) }))).toBeNull();
  });

  test('moves forward by an order to skip, which begins an epoch and does not enable the subscription', () => {
    const disabled = fold(STARTED, FAILED, attempt('disabled', { reason: 'operator' }));
    expect(applyAttempt(disabled, attempt('skipped', { next: [{ partition: 1, offset: 9 }] }))).toMatchObject(
      {
        epoch: 3,
        next: offsets(5, 9),
        attempts: 0,
        disabled: 'operator',
      },
    );
    expect(fold(STARTED, attempt('skipped', { next: offsets(1, 9) }))).toMatchObject({ next: offsets(5, 9) });
  });

  test.each(['delivered', 'failed', 'passed', 'lost'] as const)(
    'ignores a %s of the epoch before an order',
    (kind) => {
      const resent = fold(STARTED, attempt('resent', { next: offsets(1, 2) }));
      const late = attempt(kind, { epoch: 1, next: offsets(9, 9), attempt: 8 });
      expect(applyAttempt(resent, late)).toBe(resent);
    },
  );

  test('is null before a start and after a removal', () => {
    expect(fold(attempt('delivered', { next: offsets(4) }), FAILED)).toBeNull();
    expect(fold(STARTED, attempt('removed'), attempt('delivered', { next: offsets(9) }))).toBeNull();
  });

  test('ignores an unknown kind', () => {
    const before = fold(STARTED);
    expect(applyAttempt(before, { ...STARTED, kind: 'something new' })).toBe(before);
  });

  test('is not disabled by a failure of an earlier epoch, or after a later delivery', () => {
    const failing = attempt('disabled', { reason: 'failing' });
    const resent = fold(STARTED, FAILED, attempt('resent', { next: offsets(1, 2) }));
    expect(applyAttempt(resent, failing)).toBe(resent);
    const failedAgain = applyAttempt(resent, { ...FAILED, epoch: 2 });
    expect(applyAttempt(failedAgain, failing)).toBe(failedAgain);
    const accepted = fold(STARTED, FAILED, attempt('delivered'));
    expect(applyAttempt(accepted, failing)).toBe(accepted);
  });

  test('is disabled by an operator if the record has no reason', () => {
    expect(fold(STARTED, attempt('disabled'))).toMatchObject({ disabled: 'operator', epoch: 2 });
  });

  test('moves past records that expired', () => {
    expect(fold(STARTED, attempt('lost', { next: offsets(8, 7), at: 300 }))).toMatchObject({
      next: offsets(8, 7),
      updated_at: 300,
    });
  });

  test('has its partitions in order, whatever order they were reported in', () => {
    const reported = [2, 0, 1].map((partition) => ({ partition, offset: partition }));
    expect(fold(attempt('started', { next: reported }))?.next).toEqual(offsets(0, 1, 2));
  });
});
