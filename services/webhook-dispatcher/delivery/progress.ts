/** How the progress of a subscription changes. Pure. Offsets never move back, but by an order or a lost log. */
import type { WebhookOffset, WebhookOrder, WebhookProgress } from '#records/types.ts';

/** The progress of a subscription; null before its start and after its removal. */
export type DeliveryProgress = WebhookProgress | null;

const NO_FAILURE = { attempts: 0, failing_since: null, next_attempt_at: null };

/** Returns the progress of a subscription that begins at these offsets, by partition. `epoch`: number of its last order, which it does not need. */
export function started(
  ids: Pick<WebhookProgress, 'subscription_id' | 'client_id' | 'epoch'>,
  next: readonly number[],
  at: number,
): WebhookProgress {
  return {
    ...ids,
    next: offsets(next),
    ...NO_FAILURE,
    left_out: 0,
    last_outcome: null,
    last_reason: null,
    delivered_at: null,
    disabled: null,
    updated_at: at,
  };
}

/** Returns the progress after an accepted request. */
export function delivered(progress: WebhookProgress, at: number): WebhookProgress {
  const last = { last_outcome: 'accepted', last_reason: null, delivered_at: at };
  return { ...progress, ...NO_FAILURE, ...last, updated_at: at };
}

/** Returns the progress after those orders, in their sequence, that are not applied yet; the same object without any. */
export function ordered(
  progress: WebhookProgress,
  orders: readonly WebhookOrder[],
  at: number,
): WebhookProgress {
  let after = progress;
  for (const order of orders) if (order.number > after.epoch) after = orderedBy(after, order, at);
  return after;
}

function orderedBy(
  progress: WebhookProgress,
  { number: epoch, kind, next }: WebhookOrder,
  updated_at: number,
): WebhookProgress {
  const after = { ...progress, epoch, updated_at };
  // How long it has failed is shown of a disabled subscription.
  if (kind === 'disabled') return { ...after, attempts: 0, next_attempt_at: null, disabled: 'operator' };
  const recovered = { ...after, ...NO_FAILURE };
  if (kind === 'skipped') return { ...recovered, next: moved(progress.next, next, Math.max) };
  if (kind === 'resent') return { ...recovered, disabled: null, next: moved(progress.next, next, Math.min) };
  return { ...recovered, disabled: null };
}

/** Combines the offsets of each partition by `choose`; a partition of only one list keeps its offset. */
export function moved(
  a: readonly WebhookOffset[],
  b: readonly WebhookOffset[],
  choose: (one: number, other: number) => number,
): WebhookOffset[] {
  const by = new Map(a.map(({ partition, offset }) => [partition, offset]));
  for (const { partition, offset } of b) by.set(partition, choose(offset, by.get(partition) ?? offset));
  return Array.from(by, ([partition, offset]) => ({ partition, offset })).sort(
    (one, other) => one.partition - other.partition,
  );
}

/** Converts offsets by partition to those of a record. */
export function offsets(next: readonly number[]): WebhookOffset[] {
  return next.map((offset, partition) => ({ partition, offset }));
}
