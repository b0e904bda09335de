/** The progress of a subscription. Offsets never move back, but by an order or a lost log. */
import type { WebhookOffset, WebhookOrder, WebhookProgress } from '#records/types.ts';
import { jittered } from '#timing/retry.ts';
import type { DeliveryProgress, ProgressLog } from './progress-log.ts';
import type { BatchLimits } from './request.ts';
import type { Subscription } from './subscriptions.ts';

/** What the progress of all subscriptions of a partition needs. */
export type ProgressContext = {
  readonly messages: { readonly partitions: number };
  readonly progressLog: Pick<ProgressLog, 'write' | 'flush'>;
  readonly limits: BatchLimits;
  /** Delays after consecutive failed attempts, milliseconds; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
};

type FailedAttempt = {
  readonly outcome: string;
  readonly reason: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly retryAfterMs: number | null;
  /** Whether a message of it is of a match in play. */
  readonly isInPlay: boolean;
};

/** The progress of a subscription in its delivery. It applies each change at once, and records it on webhook-progress. */
export class SubscriptionProgress {
  readonly #context: ProgressContext;
  readonly #subscription: Pick<Subscription, 'id' | 'clientId'>;
  #current: DeliveryProgress;
  #hasSkipped = false;
  #recordedAt: number;
  #recorded: Promise<void> = Promise.resolve();
  readonly #unrecorded = new Set<BatchLimits & { readonly written: Promise<void> }>();

  /** `committed`: null for a new subscription. */
  constructor(
    context: ProgressContext,
    subscription: Pick<Subscription, 'id' | 'clientId'>,
    committed: DeliveryProgress,
  ) {
    this.#context = context;
    this.#subscription = subscription;
    this.#current = committed;
    this.#recordedAt = context.now();
  }

  get current(): DeliveryProgress {
    return this.#current;
  }

  get next(): number[] {
    const next = new Array<number>(this.#context.messages.partitions).fill(0);
    for (const { partition, offset } of this.#current?.next ?? []) next[partition] = offset;
    return next;
  }

  /** Time of the last record, Unix milliseconds, if messages have been skipped since; else null. */
  get skippedSince(): number | null {
    return this.#hasSkipped ? this.#recordedAt : null;
  }

  /** Begins at these offsets, by partition. `epoch`: number of its last order, which it does not need. */
  start(next: readonly number[], epoch: number): void {
    this.#current = {
      subscription_id: this.#subscription.id,
      client_id: this.#subscription.clientId,
      epoch,
      next: offsets(next),
      ...NO_FAILURE,
      left_out: 0,
      last_outcome: null,
      last_reason: null,
      delivered_at: null,
      disabled: null,
      updated_at: 0,
    };
    this.record();
  }

  /** Applies those orders that are not applied yet, and returns whether there are any. */
  order(orders: readonly WebhookOrder[]): boolean {
    const before = this.#current;
    if (before === null) return false;
    this.#current = ordered(before, orders);
    if (this.#current === before) return false;
    this.record();
    return true;
  }

  /** Skips the messages before these offsets, `leftOut` states among them; a later record reports it. */
  skipTo(next: readonly number[], leftOut: number): void {
    const before = this.next;
    this.#hasSkipped ||= next.some((offset, partition) => offset > (before[partition] ?? 0));
    this.#change({ next: offsets(next), left_out: leftOut + (this.#current?.left_out ?? 0) });
  }

  /** Records a delivery up to these offsets, with `leftOut` states that were not sent. */
  deliver(next: readonly number[], leftOut: number, { messages, bytes }: BatchLimits): void {
    this.skipTo(next, leftOut);
    const delivered_at = this.#context.now();
    this.#change({ ...NO_FAILURE, last_outcome: 'accepted', last_reason: null, delivered_at });
    this.record();
    const batch = { messages, bytes, written: this.#recorded };
    const remove = (): void => void this.#unrecorded.delete(batch);
    this.#unrecorded.add(batch);
    batch.written.then(remove, remove);
    // The next batch would wait for it.
    if (this.#exceeds(0.5)) this.#context.progressLog.flush();
  }

  /** Records an attempt that was not accepted, with the time of the next one. */
  fail({ outcome, reason, startedAt, retryAfterMs, isInPlay }: FailedAttempt): void {
    const { now, random, delaysMs } = this.#context;
    const attempts = (this.#current?.attempts ?? 0) + 1;
    const delays = isInPlay ? delaysInPlay(delaysMs) : delaysMs;
    this.#change({
      attempts,
      failing_since: this.#current?.failing_since ?? startedAt,
      next_attempt_at: now() + retryDelayMs(delays, attempts, retryAfterMs, random()),
      last_outcome: outcome,
      last_reason: reason,
    });
    this.record();
  }

  lose(partition: number, start: number): void {
    this.#change({ next: moved(this.#current?.next ?? [], [{ partition, offset: start }], Math.max) });
    this.record();
  }

  disable(): void {
    this.#change({ attempts: 0, next_attempt_at: null, disabled: 'failing' });
    this.record();
  }

  /** Records the progress, with what was skipped. */
  record(): void {
    if (this.#current === null) return;
    this.#recordedAt = this.#context.now();
    this.#current = { ...this.#current, updated_at: this.#recordedAt };
    this.#hasSkipped = false;
    this.#recorded = this.#context.progressLog.write(this.#subscription.id, this.#current);
    this.#recorded.catch(() => {});
  }

  /** Resolves once all records so far are committed; rejects when they never are. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  /** Null while one full batch at most is unrecorded; else publishes, and resolves with the oldest record. Rejects when it is never committed. */
  waitForRoom(): Promise<void> | null {
    const [oldest] = this.#unrecorded;
    if (oldest === undefined || !this.#exceeds(1)) return null;
    this.#context.progressLog.flush();
    return oldest.written;
  }

  #change(fields: Partial<WebhookProgress>): void {
    if (this.#current !== null) this.#current = { ...this.#current, ...fields };
  }

  /** Whether the unrecorded deliveries are more than this share of a full batch. */
  #exceeds(share: number): boolean {
    const { limits } = this.#context;
    let [messages, bytes] = [0, 0];
    for (const one of this.#unrecorded) {
      messages += one.messages;
      bytes += one.bytes;
    }
    return messages > share * limits.messages || bytes > share * limits.bytes;
  }
}

/** Maximum `Retry-After` that is honoured, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Maximum random share added to or subtracted from a delay: deliveries that fail together must not retry together. */
const JITTER = 0.2;

/** Delays while a match is in play, milliseconds: a receiver that is back within 20 s is called 5 s later at most. */
const IN_PLAY_MS = [1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 10_000, 20_000];

/** Returns the delays of a failure in play: those above, none longer than its own of the schedule, then the longer ones of the schedule. */
export function delaysInPlay(delaysMs: readonly number[]): readonly number[] {
  const soon = IN_PLAY_MS.map((delay, at) => Math.min(delay, delaysMs[at] ?? delay));
  const longest = Math.max(...soon);
  return [...soon, ...delaysMs.filter((delay) => delay > longest)];
}

/** Returns the delay after `attempts` failed ones (from 1), milliseconds: at least `Retry-After`, up to its maximum. `random`: 0 to 1. */
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

/** Returns the longest time that an attempt waits, milliseconds. */
export function longestDelayMs(delaysMs: readonly number[]): number {
  return Math.max(MAX_RETRY_AFTER_MS, (1 + JITTER) * Math.max(...delaysMs));
}

/** Returns how many attempts the delays allow in a time, milliseconds. */
export function attemptsWithin(delaysMs: readonly number[], withinMs: number): number {
  let [attempts, passedMs] = [1, 0];
  for (const delay of delaysMs) {
    passedMs += delay;
    if (passedMs > withinMs) return attempts;
    attempts += 1;
  }
  return attempts + Math.floor((withinMs - passedMs) / Math.max(1, delaysMs.at(-1) ?? 1));
}

const NO_FAILURE = { attempts: 0, failing_since: null, next_attempt_at: null };

/** Returns the progress after those orders, in their sequence, that are not applied yet; the same object without any. */
export function ordered(progress: WebhookProgress, orders: readonly WebhookOrder[]): WebhookProgress {
  return orders.reduce(
    (after, order) => (order.number > after.epoch ? orderedBy(after, order) : after),
    progress,
  );
}

function orderedBy(progress: WebhookProgress, { number: epoch, kind, next }: WebhookOrder): WebhookProgress {
  const after = { ...progress, epoch };
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
