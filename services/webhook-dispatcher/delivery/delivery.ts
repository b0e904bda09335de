import { wants } from '#clients/webhooks.ts';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import type { WebhookProgress } from '#records/types.ts';
import { type Logger, logsMessages } from '#streams/log.ts';
import { sleep } from '#timing/clock.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import { ExpiredError, type MessageBacklog } from './message-backlog.ts';
import type { MessageAtOffset, MessageChunk, MessageReader } from './message-reader.ts';
import type { DeliveryProgress } from './progress-log.ts';
import {
  collectBatch,
  createReceiver,
  identify,
  type MessageBatch,
  type MessageHead,
  type Receiver,
  type ReceiverContext,
} from './request.ts';
import {
  attemptsWithin,
  longestDelayMs,
  type ProgressContext,
  SubscriptionProgress,
} from './subscription-progress.ts';
import type { Subscription } from './subscriptions.ts';

/** Dependencies and limits that all deliveries of a partition share. */
export type DeliveryContext = ProgressContext &
  ReceiverContext & {
    readonly messages: Pick<MessageReader, 'window' | 'startOf'>;
    readonly backlog: Pick<MessageBacklog, 'read'>;
    /** Time of failing attempts after which a subscription is disabled, milliseconds. */
    readonly disableAfterMs: number;
    readonly metrics: DispatcherMetrics;
    readonly log: Logger;
  };

/** Interval at which a subscription skips messages that it does not select, milliseconds. */
const IDLE_MS = 5_000;
/** Minimum interval at which a subscription records that it only skipped messages, milliseconds. */
const PASSED_MS = 30_000;
/** Delay before a failed step is retried, such as while a broker is down, milliseconds. */
const RETRY_MS = 1_000;
/** Consecutive failed attempts after which a request carries one message; a short outage does not narrow requests. */
const NARROWED_AFTER = 3;
/** Factor by which the next request grows after an accepted one. */
const WIDENED_BY = 8;
/** Maximum time of one sleep, milliseconds: a timer cannot take an infinite one. */
const MAX_SLEEP_MS = 3_600_000;
/** Reason of an abort that nobody reads: the default would create an error with a stack each time. */
const WOKEN = new Error('woken');

/** Delivers one subscription, in order, one request at a time, until it is closed. */
export class SubscriptionDelivery {
  readonly #context: DeliveryContext;
  #subscription: Subscription;
  readonly #progress: SubscriptionProgress;
  readonly #receiver: Receiver;
  /** The first partition of the next batch; unchanged by a failed attempt. */
  #firstPartition = 0;
  /** Maximum messages of the next batch: one after repeated failures, to isolate a message that the receiver rejects. */
  #maxMessages: number;
  /** Aborted when there may be work since the last sleep. */
  #woken = new AbortController();
  /** The time of the next attempt, Unix milliseconds, and on the monotonic clock. */
  #due: { readonly of: number; readonly at: number } | null = null;
  #isEnding = false;
  readonly #ended: Promise<void>;

  /** `committed`: its committed progress; null for a new subscription. */
  constructor(context: DeliveryContext, subscription: Subscription, committed: DeliveryProgress) {
    this.#context = context;
    this.#subscription = subscription;
    this.#progress = new SubscriptionProgress(context, subscription, committed);
    this.#progress.order(subscription.orders);
    this.#receiver = createReceiver(context);
    this.#maxMessages = (committed?.attempts ?? 0) >= NARROWED_AFTER ? 1 : context.limits.messages;
    this.#ended = this.#run();
  }

  get progress(): DeliveryProgress {
    return this.#progress.current;
  }

  get state(): 'delivering' | 'failing' | 'disabled' {
    if (this.progress?.disabled != null) return 'disabled';
    return (this.progress?.attempts ?? 0) > 0 ? 'failing' : 'delivering';
  }

  /** Records between it and the end of webhook-messages, selected or not. */
  get behind(): number {
    const { window } = this.#context.messages;
    return this.#progress.next.reduce(
      (sum, offset, partition) => sum + Math.max(0, window.endOf(partition) - offset),
      0,
    );
  }

  offer(messages: readonly MessageAtOffset[]): void {
    if (messages.some(({ message }) => wants(this.#subscription, message))) this.wake();
  }

  /** Wakes the loop: there may be work. */
  wake(): void {
    this.#woken.abort(WOKEN);
  }

  /** Replaces the subscription from the next batch on, and applies its new orders at once. */
  change(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#progress.order(subscription.orders)) this.#receiver.abort();
    this.wake();
  }

  /** Stops starting requests. Resolves when the pending one has ended and is recorded. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    this.wake();
    await this.#ended;
  }

  /** Ends the delivery immediately. The next owner sends a pending batch again. */
  async close(): Promise<void> {
    const ended = this.drain();
    await this.#receiver.close();
    await ended;
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      try {
        await this.#step();
      } catch (error) {
        if (this.#isEnding) break;
        this.#context.log.warn({ ...this.#fields(), err: error }, 'a delivery failed, it is retried');
        await this.#sleep(RETRY_MS);
      }
    }
    await this.#progress.recorded.catch(() => {});
  }

  /** Sleeps until `wake`, for `ms` and an hour at most. */
  async #sleep(ms: number): Promise<void> {
    await sleep(Math.min(ms, MAX_SLEEP_MS), this.#woken.signal);
    if (!this.#isEnding) this.#woken = new AbortController();
  }

  async #step(): Promise<void> {
    const { progress } = this;
    if (progress === null) return this.#start();
    if (progress.disabled !== null) return this.#sleep(Number.POSITIVE_INFINITY);
    const wait = this.#waitMs(progress);
    if (wait > 0) return this.#sleep(wait);
    const room = this.#progress.waitForRoom();
    // Where nothing can be recorded any more, this delivery is about to be closed.
    if (room !== null) return room.catch(() => this.#sleep(RETRY_MS));
    const batch = await this.#collect(progress);
    if (this.#isOutdated(progress)) return;
    if (batch !== null) return this.#send(progress, batch);
    const { skippedSince } = this.#progress;
    if (skippedSince !== null && this.#context.now() - skippedSince >= PASSED_MS) this.#progress.record();
    await this.#sleep(IDLE_MS);
  }

  /** Returns how long the next attempt waits: from when its time is known by a clock that nobody sets, and no longer than a delay may be. */
  #waitMs({ next_attempt_at }: WebhookProgress): number {
    if (next_attempt_at === null) return 0;
    const { now, delaysMs } = this.#context;
    if (this.#due?.of !== next_attempt_at) {
      const waitMs = Math.min(next_attempt_at - now(), longestDelayMs(delaysMs));
      this.#due = { of: next_attempt_at, at: performance.now() + waitMs };
    }
    return this.#due.at - performance.now();
  }

  async #start(): Promise<void> {
    const next = await this.#context.messages.startOf(this.#subscription);
    if (this.#isEnding || this.progress !== null) return;
    this.#progress.start(next, this.#subscription.orders.at(-1)?.number ?? 0);
  }

  /** Whether the delivery ends, or an order was applied since it had this progress. */
  #isOutdated({ epoch }: WebhookProgress): boolean {
    return this.#isEnding || this.progress?.epoch !== epoch;
  }

  /** Collects the next batch; null if the subscription has no message now. */
  async #collect(progress: WebhookProgress): Promise<MessageBatch | null> {
    const { messages, limits } = this.#context;
    const batch = await collectBatch({
      window: messages.window,
      limits: { messages: this.#subscription.format === null ? this.#maxMessages : 1, bytes: limits.bytes },
      next: this.#progress.next,
      firstPartition: this.#firstPartition,
      wants: (message) => wants(this.#subscription, message),
      isOutdated: (partition, message) =>
        this.#subscription.latest_only && messages.window.isOutdated(partition, message),
      readOlder: async (partition, offset) => {
        const chunk = await this.#readOlder(partition, offset);
        return this.#isOutdated(progress) ? null : chunk;
      },
    });
    if (batch === null) return null;
    const { next, leftOut } = batch;
    // The next step continues after the skipped messages.
    if (batch.isCut) this.wake();
    if (batch.messages.length > 0) return batch;
    this.#rotate();
    this.#progress.skipTo(next, leftOut);
    this.#context.metrics.leftOut.inc(leftOut);
    return null;
  }

  /** Reads older messages. If they have expired, records that and returns null. */
  async #readOlder(partition: number, offset: number): Promise<MessageChunk | null> {
    const { backlog, metrics, log } = this.#context;
    try {
      return await backlog.read(partition, offset);
    } catch (error) {
      if (!(error instanceof ExpiredError) || error.start <= offset) throw error;
      const { start } = error;
      const records = start - offset;
      log.error({ ...this.#fields(), code: error.code, records }, error.message);
      metrics.lostRecords.inc(records);
      this.#progress.lose(partition, start);
      this.wake();
      return null;
    }
  }

  async #send(progress: WebhookProgress, batch: MessageBatch): Promise<void> {
    const { now, metrics, log, limits } = this.#context;
    const { messages, next, leftOut } = batch;
    const startedAt = now();
    const outcome = await this.#receiver.post(this.#subscription, batch);
    // An order that was applied meanwhile decides where the delivery continues.
    if (outcome === null || this.progress?.epoch !== progress.epoch) return;
    metrics.attempts.inc({ outcome: outcome.kind });
    metrics.attemptSeconds.observe((now() - startedAt) / 1_000);
    if (outcome.kind !== 'accepted') return this.#recordFailed(outcome, startedAt, messages);
    metrics.leftOut.inc(leftOut);
    // Further batches are sent meanwhile; `waitForRoom` limits the unrecorded ones to two full batches.
    this.#progress.deliver(next, leftOut, { messages: messages.length, bytes: batch.body.length });
    this.#rotate();
    this.#maxMessages = Math.min(limits.messages, WIDENED_BY * this.#maxMessages);
    const ended = now();
    if (logsMessages(log))
      for (const message of messages)
        log.debug({ ...this.#fields(), ...identify(message) }, 'webhook message delivered');
    metrics.messages.inc(messages.length);
    for (const { received_at } of messages) metrics.stages.received_to_delivered(ended - received_at);
    if (progress.attempts > 0)
      log.info({ ...this.#fields(), failed: progress.attempts }, 'a webhook accepts again');
  }

  /** Records an attempt that was not accepted, and disables the subscription if it has failed for too long. */
  #recordFailed(
    outcome: Exclude<DeliveryOutcome, { kind: 'accepted' }>,
    startedAt: number,
    messages: readonly MessageHead[],
  ): void {
    const [first] = messages;
    const { now, delaysMs, disableAfterMs, log, metrics } = this.#context;
    const { status, retryAfterMs } =
      outcome.kind === 'status' ? outcome : { status: null, retryAfterMs: null };
    const reason = 'reason' in outcome ? outcome.reason : status === null ? null : String(status);
    const isInPlay = messages.some(({ in_play }) => in_play);
    this.#progress.fail({ outcome: outcome.kind, reason, startedAt, retryAfterMs, isInPlay });
    const progress = this.progress as WebhookProgress;
    this.#waitMs(progress);
    const { attempts, failing_since } = progress;
    if (attempts >= NARROWED_AFTER) this.#maxMessages = 1;
    if (attempts === 1)
      log.warn(
        { ...this.#fields(), ...(first && identify(first)), outcome: outcome.kind, reason },
        'a webhook does not accept',
      );
    if (failing_since === null || now() - failing_since < disableAfterMs) return;
    // Fewer attempts do not take half of that time: the clock was set, or no dispatcher ran.
    if (attempts < attemptsWithin(delaysMs, disableAfterMs / 2)) return;
    this.#progress.disable();
    metrics.disabled.inc();
    log.error({ ...this.#fields(), failing_since }, 'a webhook is disabled: it has failed for too long');
  }

  /** Begins the next batch with the next partition. */
  #rotate(): void {
    this.#firstPartition = (this.#firstPartition + 1) % this.#context.messages.partitions;
  }

  #fields(): { client: number; subscription: string } {
    return { client: this.#subscription.clientId, subscription: this.#subscription.id };
  }
}
