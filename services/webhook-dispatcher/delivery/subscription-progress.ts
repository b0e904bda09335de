import type { WebhookAttempt, WebhookOffset } from '#records/types.ts';
import { jittered } from '#timing/backoff.ts';
import { type AttemptKind, applyAttempt, attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { BatchLimits } from './batch.ts';
import type { Subscription } from './subscriptions.ts';

/** What the progress of all subscriptions of a process needs. */
export type ProgressContext = {
  /** webhook-messages. */
  readonly messages: { readonly partitions: number };
  readonly attempts: Pick<AttemptLog, 'record' | 'flush'>;
  /** Limits of a full batch. */
  readonly limits: BatchLimits;
  /** Delays after consecutive failed attempts, milliseconds; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
};

/** An accepted batch whose record is pending. */
type UnrecordedBatch = BatchLimits & { readonly written: Promise<void> };

/**
 * The progress of a subscription in its delivery: it records attempts on webhook-attempts, and applies each at once. Records of
 * deliveries are published concurrently, as the furthest one counts; any other record waits for all before it.
 */
export class SubscriptionProgress {
  readonly #context: ProgressContext;
  readonly #ids: Pick<WebhookAttempt, 'subscription_id' | 'client_id'>;
  #current: DeliveryProgress = null;
  #next: number[] = [];
  #hasSkipped = false;
  /** States left out since the last record that has their number. */
  #leftOut = 0;
  #recordedAt: number;
  #recorded: Promise<void> = Promise.resolve();
  /** The last record that is of no delivery, with all before it; null when it is published. */
  #order: Promise<void> | null = null;
  readonly #unrecorded = new Set<UnrecordedBatch>();

  /** `committed`: null for a new subscription. */
  constructor(
    context: ProgressContext,
    { id, clientId }: Pick<Subscription, 'id' | 'clientId'>,
    committed: DeliveryProgress,
  ) {
    this.#context = context;
    this.#ids = { subscription_id: id, client_id: clientId };
    this.#recordedAt = context.now();
    this.replace(committed);
  }

  get current(): DeliveryProgress {
    return this.#current;
  }

  /** Next offset by partition: delivered or skipped. */
  get next(): readonly number[] {
    return this.#next;
  }

  /** Time of the last record, Unix milliseconds, if messages have been skipped since; else null. */
  get skippedSince(): number | null {
    return this.#hasSkipped ? this.#recordedAt : null;
  }

  /** Replaces the progress by a committed one. */
  replace(committed: DeliveryProgress): void {
    this.#current = committed;
    this.#next = this.#recordedOffsets();
    this.#hasSkipped = false;
  }

  /** Skips the messages before these offsets; a later record reports it. */
  skipTo(next: readonly number[]): void {
    if (next.some((offset, partition) => offset > (this.#next[partition] ?? 0))) this.#hasSkipped = true;
    this.#next = [...next];
  }

  /** Counts states that are not sent; the next record of a delivery or of skipped messages has their number. */
  leaveOut(states: number): void {
    this.#leftOut += states;
  }

  /** Records a delivery up to these offsets, with those that moved since the last record, by skipping too. */
  recordDelivered(next: readonly number[], fields: Partial<WebhookAttempt>): Promise<void> {
    const recorded = this.#recordedOffsets();
    const moved = offsets(next).filter(({ partition, offset }) => offset > (recorded[partition] ?? 0));
    return this.record('delivered', { ...fields, attempt: this.#attempt(), next: moved });
  }

  /**
   * Records an attempt that was not accepted, with the time of the next one. `retryAfterMs`: of the answer; null without one.
   * `isInPlay`: whether a message of it is of a match in play.
   */
  recordFailed(
    fields: Partial<WebhookAttempt>,
    { retryAfterMs, isInPlay }: { readonly retryAfterMs: number | null; readonly isInPlay: boolean },
  ): Promise<void> {
    const { now, random, delaysMs } = this.#context;
    const attempt = this.#attempt();
    const delays = isInPlay ? delaysInPlay(delaysMs) : delaysMs;
    const next_attempt_at = now() + retryDelayMs(delays, attempt, retryAfterMs, random());
    return this.record('failed', { ...fields, attempt, next_attempt_at });
  }

  /** Applies an attempt at once, and records it. Resolves when it is published; rejects when recording has ended. */
  async record(kind: AttemptKind, fields: Partial<WebhookAttempt> = {}): Promise<void> {
    const { now, attempts } = this.#context;
    const head = { ...this.#ids, kind, epoch: this.#current?.epoch ?? 1, at: now() };
    const isProgress = kind === 'delivered' || kind === 'passed';
    const attempt = attemptOf(head, isProgress ? { ...fields, left_out: this.#leftOut } : fields);
    if (isProgress) this.#leftOut = 0;
    this.#apply(attempt);
    const isDelivery = kind === 'delivered';
    const before = isDelivery ? this.#order : this.#recorded;
    const written = before === null ? attempts.record(attempt) : before.then(() => attempts.record(attempt));
    const recorded = Promise.all([this.#recorded, written]).then(() => {});
    this.#recorded = recorded;
    recorded.catch(() => {});
    if (isDelivery) {
      const batch = { messages: attempt.messages, bytes: attempt.bytes, written };
      const remove = (): void => void this.#unrecorded.delete(batch);
      this.#unrecorded.add(batch);
      written.then(remove, remove);
    } else {
      this.#order = recorded;
      const remove = (): void => {
        if (this.#order === recorded) this.#order = null;
      };
      recorded.then(remove, () => {});
    }
    await written;
  }

  /** Resolves once all records so far are published; rejects when recording has ended. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  /**
   * Returns null while the unrecorded deliveries are one full batch at most; else publishes at once, and resolves with
   * the oldest record. Rejects when recording has ended.
   */
  waitForRoom(): Promise<void> | null {
    const [oldest] = this.#unrecorded;
    if (oldest === undefined || !this.#exceeds(1)) return null;
    this.#context.attempts.flush();
    return oldest.written;
  }

  /** Publishes pending records at once if the next batch will wait for them. */
  flushIfFull(): void {
    if (this.#exceeds(0.5)) this.#context.attempts.flush();
  }

  /** Returns the number of the pending attempt: one after an accepted one. */
  #attempt(): number {
    return (this.#current?.attempts ?? 0) + 1;
  }

  #apply(attempt: WebhookAttempt): void {
    this.#recordedAt = attempt.at;
    this.#current = applyAttempt(this.#current, attempt);
    for (const { partition, offset } of attempt.next)
      this.#next[partition] = Math.max(offset, this.#next[partition] ?? 0);
    if (attempt.kind === 'delivered' || attempt.kind === 'passed') this.#hasSkipped = false;
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

  #recordedOffsets(): number[] {
    const next = new Array<number>(this.#context.messages.partitions).fill(0);
    for (const { partition, offset } of this.#current?.next ?? []) next[partition] = offset;
    return next;
  }
}

/** Converts offsets by partition to those of a record. */
export function offsets(next: readonly number[]): WebhookOffset[] {
  return next.map((offset, partition) => ({ partition, offset }));
}

/** Maximum `Retry-After` that is honoured, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Maximum random share added to or subtracted from a delay: deliveries that fail together must not retry together. */
const JITTER = 0.2;

/**
 * Delays while a match is in play, milliseconds: the first minute of an outage is worth seconds. With the jitter at its longest, a
 * receiver that is back within 20 s is called 5 s later at most.
 */
const IN_PLAY_MS = [1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 10_000, 20_000];

/** Returns the delays of a failure in play: those above, none longer than its own of the schedule, then the longer ones of the schedule. */
export function delaysInPlay(delaysMs: readonly number[]): readonly number[] {
  const soon = IN_PLAY_MS.map((delay, at) => Math.min(delay, delaysMs[at] ?? delay));
  const longest = Math.max(...soon);
  return [...soon, ...delaysMs.filter((delay) => delay > longest)];
}

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
