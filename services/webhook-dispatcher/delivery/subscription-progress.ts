import type { WebhookOrder, WebhookProgress } from '#records/types.ts';
import { jittered } from '#timing/retry.ts';
import { type DeliveryProgress, delivered, moved, offsets, ordered, started } from './progress.ts';
import type { ProgressLog } from './progress-log.ts';
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
  /** From 0 to 1. */
  readonly random: () => number;
};

/** An attempt that was not accepted. */
type FailedAttempt = {
  readonly outcome: string;
  readonly reason: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Of the answer; null without one. */
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

  /** Begins at these offsets, by partition. */
  start(next: readonly number[], epoch: number): void {
    const { id: subscription_id, clientId: client_id } = this.#subscription;
    this.#record(started({ subscription_id, client_id, epoch }, next, this.#context.now()));
  }

  /** Applies those orders that are not applied yet, and returns whether there are any. */
  order(orders: readonly WebhookOrder[]): boolean {
    const before = this.#current;
    if (before === null) return false;
    const after = ordered(before, orders, this.#context.now());
    if (after !== before) this.#record(after);
    return after !== before;
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
    if (this.#current === null) return;
    const written = this.#record(delivered(this.#current, this.#context.now()));
    const batch = { messages, bytes, written };
    const remove = (): void => void this.#unrecorded.delete(batch);
    this.#unrecorded.add(batch);
    written.then(remove, remove);
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

  /** Records that the deliveries are stopped, as they failed for too long. */
  disable(): void {
    this.#change({ attempts: 0, next_attempt_at: null, disabled: 'failing' });
    this.record();
  }

  /** Records what was skipped. */
  record(): void {
    if (this.#current !== null) this.#record({ ...this.#current, updated_at: this.#context.now() });
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

  /** Publishes pending records at once if the next batch will wait for them. */
  flushIfFull(): void {
    if (this.#exceeds(0.5)) this.#context.progressLog.flush();
  }

  #change(fields: Partial<WebhookProgress>): void {
    if (this.#current !== null) this.#current = { ...this.#current, ...fields };
  }

  #record(progress: WebhookProgress): Promise<void> {
    this.#current = progress;
    this.#recordedAt = progress.updated_at;
    this.#hasSkipped = false;
    this.#recorded = this.#context.progressLog.write(progress.subscription_id, progress);
    this.#recorded.catch(() => {});
    return this.#recorded;
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
