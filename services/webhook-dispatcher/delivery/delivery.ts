import { wants } from '#clients/webhooks.ts';
import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import type { WebhookAttempt, WebhookProgress } from '#records/types.ts';
import { logsMessages } from '#streams/log.ts';
import type { AttemptKind, DeliveryProgress } from '#webhooks/progress.ts';
import type { DeliveryState } from '../metrics.ts';
import { ExpiredError } from './backlog-reader.ts';
import type { MessageHead } from './batch.ts';
import { type CollectedBatch, collectBatch } from './collect-batch.ts';
import { type DeliveryEndpoint, type DispatchContext, retryDelayMs } from './delivery-context.ts';
import type { MessageAtOffset } from './message-window.ts';
import { identify, startSpan } from './named-messages.ts';
import { offsets, RecordedProgress } from './recorded-progress.ts';
import { bodyOf } from './request-body.ts';
import type { Subscription } from './subscriptions.ts';
import { WakeableSleep } from './wakeable-sleep.ts';

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

/** Delivers one subscription, in order, one request at a time, until it is closed. */
export class SubscriptionDelivery {
  readonly #context: DispatchContext;
  #subscription: Subscription;
  readonly #progress: RecordedProgress;
  /** The first partition of the next batch; unchanged by a failed attempt. */
  #turn = 0;
  /** Maximum messages of the next batch: one after repeated failures, to isolate a message that the receiver rejects. */
  #maxMessages: number;
  /** The endpoint in use, with the subscription that it was opened for. */
  #opened: { readonly endpoint: DeliveryEndpoint; readonly of: Subscription } | null = null;
  #posting: AbortController | null = null;
  readonly #pause = new WakeableSleep();
  #isDraining = false;
  #isClosed = false;
  readonly #ended: Promise<void>;

  constructor(context: DispatchContext, subscription: Subscription, progress: DeliveryProgress) {
    this.#context = context;
    this.#subscription = subscription;
    this.#progress = new RecordedProgress(context, progress);
    this.#maxMessages = (progress?.attempts ?? 0) >= NARROWED_AFTER ? 1 : context.limits.messages;
    this.#ended = this.#run();
  }

  get progress(): DeliveryProgress {
    return this.#progress.current;
  }

  get state(): DeliveryState {
    if (this.progress?.disabled != null) return 'disabled';
    return (this.progress?.attempts ?? 0) > 0 ? 'failing' : 'delivering';
  }

  /** Records between it and the end of webhook-messages, selected or not. */
  get behind(): number {
    const { window } = this.#context;
    return this.#progress.next.reduce((sum, offset, of) => sum + Math.max(0, window.nextOf(of) - offset), 0);
  }

  /** Wakes the loop if the subscription selects one of the messages. */
  offer(messages: readonly MessageAtOffset[]): void {
    if (messages.some(({ message }) => wants(this.#subscription, message))) this.wake();
  }

  /** Wakes the loop: there may be work. */
  wake(): void {
    this.#pause.wake();
  }

  /** Replaces the subscription from the next batch on. */
  change(subscription: Subscription): void {
    this.#subscription = subscription;
    this.wake();
  }

  /** Applies an order at once, if the committed progress has a new one. */
  applyOrder(committed: WebhookProgress): void {
    if (this.progress !== null && committed.epoch <= this.progress.epoch) return;
    this.#progress.adopt(committed);
    this.#posting?.abort();
    this.wake();
  }

  /** Stops starting requests. Resolves when the pending one has ended and is recorded. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#pause.end();
    await this.#ended;
  }

  /** Ends the delivery immediately. The next owner sends a pending batch again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#posting?.abort();
    this.#pause.end();
    await this.#opened?.endpoint.close();
    await this.#ended;
  }

  get #isEnding(): boolean {
    return this.#isClosed || this.#isDraining;
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      try {
        await this.#step();
      } catch (error) {
        if (this.#isEnding) break;
        this.#context.log.warn({ ...this.#fields(), err: error }, 'a delivery failed, it is retried');
        await this.#pause.sleep(RETRY_MS);
      }
    }
    await this.#progress.recorded.catch(() => {});
  }

  async #step(): Promise<void> {
    const { progress } = this;
    if (progress === null) return this.#start();
    if (progress.disabled !== null) return this.#pause.sleep(Number.POSITIVE_INFINITY);
    const wait = (progress.next_attempt_at ?? 0) - this.#context.now();
    if (wait > 0) return this.#pause.sleep(wait);
    const room = this.#progress.waitForRoom(this.#context.limits);
    if (room !== null) return room;
    const collected = await this.#collect(progress);
    if (this.#isEnding || this.progress?.epoch !== progress.epoch) return;
    if (collected !== null) return this.#send(progress, collected);
    const { aheadSince, next } = this.#progress;
    if (aheadSince !== null && this.#context.now() - aheadSince >= PASSED_MS) {
      return this.#record('passed', { next: offsets(next) });
    }
    await this.#pause.sleep(IDLE_MS);
  }

  async #start(): Promise<void> {
    const next = await this.#context.startOf(this.#subscription);
    if (this.#isEnding || this.progress !== null) return;
    await this.#record('started', { next: offsets(next) });
    this.#progress.adopt(this.progress);
  }

  /** Collects the next batch; null if the subscription has no message now. */
  async #collect(progress: WebhookProgress): Promise<CollectedBatch | null> {
    const { window, backlog, limits } = this.#context;
    const collected = await collectBatch({
      window,
      limits: { messages: this.#subscription.format === null ? this.#maxMessages : 1, bytes: limits.bytes },
      next: this.#progress.next,
      turn: this.#turn,
      wants: (message) => wants(this.#subscription, message),
      read: async (partition, offset) => {
        const chunk = await this.#read(backlog, partition, offset);
        return this.#isEnding || this.progress?.epoch !== progress.epoch ? null : chunk;
      },
    });
    if (collected === null) return null;
    const { batch, next, isCut } = collected;
    // The next step continues after the skipped messages.
    if (isCut) this.wake();
    if (batch.messages.length > 0) return collected;
    this.#turn = (this.#turn + 1) % next.length;
    this.#progress.skipTo(next);
    return null;
  }

  /** Reads older messages. If they have expired, records that and returns null. */
  async #read(backlog: DispatchContext['backlog'], partition: number, offset: number) {
    try {
      return await backlog.read(partition, offset);
    } catch (error) {
      if (!(error instanceof ExpiredError) || error.start <= offset) throw error;
      const { metrics, log } = this.#context;
      const messages = error.start - offset;
      log.error({ ...this.#fields(), code: error.code, records: messages }, error.message);
      metrics.lostRecords.inc(messages);
      await this.#progress.lostTo(this.#subscription, { partition, offset: error.start }, messages);
      this.wake();
      return null;
    }
  }

  async #send(progress: WebhookProgress, { batch, next }: CollectedBatch): Promise<void> {
    const { now, metrics, log } = this.#context;
    const { messages, bytes } = batch;
    const endpoint = this.#endpoint();
    const posting = new AbortController();
    this.#posting = posting;
    const started_at = now();
    const span = startSpan(batch, this.#subscription);
    const outcome = await endpoint.post(bodyOf(this.#subscription, batch), posting.signal);
    span?.set({ 'http.response.status_code': outcome.kind === 'status' ? outcome.status : undefined });
    span?.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
    this.#posting = null;
    if (outcome.kind !== 'accepted' && (posting.signal.aborted || this.#isClosed)) return;
    // An order that was applied meanwhile decides where the delivery continues.
    if (this.progress?.epoch !== progress.epoch) return;
    metrics.attempts.inc({ outcome: outcome.kind });
    metrics.attemptSeconds.observe((now() - started_at) / 1_000);
    const fields = {
      started_at,
      attempt: progress.attempts + 1,
      outcome: outcome.kind,
      bytes,
      messages: messages.length,
      first: messages[0]?.uuid ?? null,
      last: messages.at(-1)?.uuid ?? null,
    };
    if (outcome.kind !== 'accepted') return this.#failed(progress, outcome, fields, messages[0]);
    const moved = this.#progress.deliveredTo(next);
    this.#turn = (this.#turn + 1) % next.length;
    this.#maxMessages = Math.min(this.#context.limits.messages, WIDENED_BY * this.#maxMessages);
    // Further batches are sent meanwhile; `waitForRoom` limits the unrecorded ones to two full batches.
    this.#record('delivered', { ...fields, next: moved, epoch: progress.epoch }).catch(() => {});
    this.#progress.hurry(this.#context.limits);
    const ended = now();
    if (logsMessages(log))
      for (const message of messages)
        log.debug({ ...this.#fields(), ...identify(message) }, 'webhook message delivered');
    metrics.messages.inc(messages.length);
    for (const { received_at } of messages) metrics.stages.received_to_delivered(ended - received_at);
    if (progress.attempts > 0)
      log.info({ ...this.#fields(), failed: progress.attempts }, 'a webhook accepts again');
  }

  async #failed(
    progress: WebhookProgress,
    outcome: Exclude<DeliveryOutcome, { kind: 'accepted' }>,
    fields: Partial<WebhookAttempt> & { readonly started_at: number },
    first: MessageHead | undefined,
  ): Promise<void> {
    const { now, random, delaysMs, disableAfterMs, log, metrics } = this.#context;
    const attempt = progress.attempts + 1;
    if (attempt >= NARROWED_AFTER) this.#maxMessages = 1;
    const retryAfterMs = outcome.kind === 'status' ? outcome.retryAfterMs : null;
    const next_attempt_at = now() + retryDelayMs(delaysMs, attempt, retryAfterMs, random());
    const status = outcome.kind === 'status' ? outcome.status : null;
    const reason = 'reason' in outcome ? outcome.reason : null;
    if (attempt === 1)
      log.warn(
        { ...this.#fields(), ...(first && identify(first)), outcome: outcome.kind, status, reason },
        'a webhook does not accept',
      );
    await this.#record('failed', { ...fields, status, reason, next_attempt_at, epoch: progress.epoch });
    const since = progress.failing_since ?? fields.started_at;
    if (now() - since < disableAfterMs) return;
    await this.#record('disabled', { reason: 'failing', epoch: progress.epoch });
    metrics.disabled.inc();
    log.error(
      { ...this.#fields(), failing_since: since },
      'a webhook is disabled: it has failed for too long',
    );
  }

  /** Returns the endpoint; opens another one if the address or secret has changed. Call it without a pending request. */
  #endpoint(): DeliveryEndpoint {
    const { url, secret } = this.#subscription;
    const opened = this.#opened;
    if (opened !== null && opened.of.url === url && opened.of.secret === secret) return opened.endpoint;
    void opened?.endpoint.close();
    const endpoint = this.#context.openEndpoint(this.#subscription);
    this.#opened = { endpoint, of: this.#subscription };
    return endpoint;
  }

  #record(kind: AttemptKind, fields: Partial<WebhookAttempt>): Promise<void> {
    return this.#progress.record(this.#subscription, kind, fields);
  }

  #fields(): { client: number; subscription: string } {
    return { client: this.#subscription.clientId, subscription: this.#subscription.id };
  }
}
