import type { DeliveryOutcome } from '#outbound/endpoint.ts';
import type { Logger } from '#streams/log.ts';
import type { WebhookAttempt, WebhookOffset, WebhookProgress } from '#topics/generated/types.ts';
import { type AttemptKind, applyAttempt, attemptOf, type Progress } from '#webhooks/progress.ts';
import { wants } from '#webhooks/wants.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import { type BacklogReader, ExpiredError } from './backlog-reader.ts';
import { Batch, type BatchLimits } from './batch.ts';
import type { MessageWindow, PlacedMessage } from './message-window.ts';
import { type RetryPolicy, retryDelayMs } from './retry-schedule.ts';
import type { Subscription } from './subscriptions.ts';

/** Where a subscription's requests go. */
export type Endpoint = {
  post(body: Buffer, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
};

/** What all deliveries of a process share. */
export type DeliveryContext = {
  readonly window: MessageWindow;
  readonly backlog: Pick<BacklogReader, 'read'>;
  readonly openEndpoint: (subscription: Subscription) => Endpoint;
  /** Offsets of webhook-messages, by partition, from which a subscription that has no progress is delivered. */
  readonly startOf: (subscription: Subscription) => Promise<readonly number[]>;
  /** Resolves when the record is on webhook-attempts. Rejects where the process is stopped. */
  readonly record: (attempt: WebhookAttempt) => Promise<void>;
  readonly limits: BatchLimits;
  readonly policy: RetryPolicy;
  /** How long attempts fail before the subscription is disabled, milliseconds. */
  readonly disableAfterMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly metrics: DispatcherMetrics;
  readonly log: Logger;
};

/** What a delivery is doing. */
export type DeliveryState = 'delivering' | 'failing' | 'disabled';

/** Reads of the backlog before a batch that is not full goes out. */
const READS_OF_A_BATCH = 16;
/** How often a subscription passes over what is not for it. */
const IDLE_MS = 5_000;
/** How often one that is sent little says how far it is. */
const PASSED_MS = 30_000;
/** Before a step that failed, for a broker that is away, is tried again. */
const PAUSE_MS = 1_000;
/** Longest wait of a timer. */
const LONGEST_WAIT_MS = 3_600_000;

/** A batch, and how far its partitions are once it is delivered. */
type Collected = { readonly batch: Batch; readonly next: readonly number[] };

/** Delivers one subscription, in order, one request at a time, until it is closed. */
export class Delivery {
  readonly #context: DeliveryContext;
  #subscription: Subscription;
  #progress: Progress;
  /** By partition: what is delivered or passed, as far as this process knows. */
  #next: number[];
  /** Passed since progress was last written. */
  #isAhead = false;
  #recordedAt: number;
  /** The partition that the next batch begins with. */
  #turn = 0;
  #endpoint: Endpoint | null = null;
  #posting: AbortController | null = null;
  #woken = false;
  #wake: (() => void) | null = null;
  #isDraining = false;
  #isClosed = false;
  /** Resolves once everything so far is recorded; rejects where that ended. */
  #recorded: Promise<void> = Promise.resolve();
  readonly #ended: Promise<void>;

  constructor(context: DeliveryContext, subscription: Subscription, progress: Progress) {
    this.#context = context;
    this.#subscription = subscription;
    this.#progress = progress;
    this.#next = this.#offsetsOf(progress);
    this.#recordedAt = context.now();
    this.#ended = this.#run();
  }

  get progress(): Progress {
    return this.#progress;
  }

  get state(): DeliveryState {
    if (this.#progress?.disabled != null) return 'disabled';
    return (this.#progress?.attempts ?? 0) > 0 ? 'failing' : 'delivering';
  }

  /** Records of webhook-messages that it has not come to, of any subscription. */
  get behind(): number {
    const { window } = this.#context;
    return this.#next.reduce((sum, offset, of) => sum + Math.max(0, window.nextOf(of) - offset), 0);
  }

  /** There are new messages. */
  offer(messages: readonly PlacedMessage[]): void {
    if (messages.some(({ message }) => wants(this.#subscription, message))) this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** The subscription as it is now: another contract, from the next batch on. */
  change(subscription: Subscription): void {
    this.#subscription = subscription;
    this.wake();
  }

  /** Progress as it is committed: an order in it is obeyed at once. */
  obey(committed: WebhookProgress): void {
    if (this.#progress !== null && committed.epoch <= this.#progress.epoch) return;
    this.#adopt(committed);
    this.#posting?.abort();
    this.wake();
  }

  /** Begins nothing new; resolves when the request that is under way has ended and is recorded. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.wake();
    await this.#ended;
  }

  /** Ends it at once. A batch that was under way is for the next owner to send again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#posting?.abort();
    this.wake();
    await this.#endpoint?.close();
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
        this.#context.log.warn({ ...this.#fields(), err: error }, 'a delivery cannot go on, it tries again');
        await this.#sleep(PAUSE_MS);
      }
    }
    await this.#recorded.catch(() => {});
  }

  async #step(): Promise<void> {
    const progress = this.#progress;
    if (progress === null) return this.#start();
    if (progress.disabled !== null) return this.#sleep(LONGEST_WAIT_MS);
    const wait = (progress.next_attempt_at ?? 0) - this.#context.now();
    if (wait > 0) return this.#sleep(wait);
    const collected = await this.#collect(progress);
    if (this.#isEnding || this.#progress?.epoch !== progress.epoch) return;
    if (collected !== null) return this.#send(progress, collected);
    if (this.#isAhead && this.#context.now() - this.#recordedAt >= PASSED_MS) {
      return this.#record('passed', { next: offsets(this.#next) });
    }
    await this.#sleep(IDLE_MS);
  }

  async #start(): Promise<void> {
    const next = await this.#context.startOf(this.#subscription);
    if (this.#isEnding || this.#progress !== null) return;
    await this.#record('started', { next: offsets(next) });
    this.#next = this.#offsetsOf(this.#progress);
  }

  /** The next batch; null where there is nothing for the subscription now. */
  async #collect(progress: WebhookProgress): Promise<Collected | null> {
    const { window, backlog, limits } = this.#context;
    const batch = new Batch(limits);
    const next = [...this.#next];
    let isFull = false;
    const take = (partition: number, messages: Iterable<PlacedMessage>): void => {
      for (const { offset, message } of messages) {
        isFull = wants(this.#subscription, message) && !batch.add(message);
        if (isFull) return;
        next[partition] = offset + 1;
      }
    };
    const advance = (partition: number, to: number): void => {
      next[partition] = Math.max(to, next[partition] ?? 0);
    };
    for (let reads = 0; ; reads++) {
      let behind: number | null = null;
      for (let step = 0; step < next.length && !isFull; step++) {
        const partition = (this.#turn + step) % next.length;
        const from = next[partition] ?? 0;
        if (from < window.startOf(partition)) behind ??= partition;
        else {
          take(partition, window.from(partition, from));
          if (!isFull) advance(partition, window.nextOf(partition));
        }
      }
      if (isFull || behind === null) break;
      if (reads >= READS_OF_A_BATCH) {
        // Goes on with the next step: what was passed is kept.
        this.#woken = true;
        break;
      }
      const chunk = await this.#read(backlog, behind, next[behind] ?? 0);
      if (chunk === null || this.#isEnding || this.#progress?.epoch !== progress.epoch) return null;
      take(behind, chunk.messages);
      if (!isFull) advance(behind, chunk.next);
    }
    this.#turn = (this.#turn + 1) % next.length;
    if (batch.messages.length > 0) return { batch, next };
    if (next.some((offset, of) => offset > (this.#next[of] ?? 0))) this.#isAhead = true;
    this.#next = next;
    return null;
  }

  /** Null where what was to be read has expired, which is recorded. */
  async #read(backlog: DeliveryContext['backlog'], partition: number, offset: number) {
    try {
      return await backlog.read(partition, offset);
    } catch (error) {
      if (!(error instanceof ExpiredError) || error.start <= offset) throw error;
      const { metrics, log } = this.#context;
      const messages = error.start - offset;
      log.error({ ...this.#fields(), code: error.code, records: messages }, error.message);
      metrics.lostRecords.inc(messages);
      const before = this.#next;
      await this.#record('lost', { next: [{ partition, offset: error.start }], messages });
      // An order that came meanwhile has put another list in its place.
      before[partition] = error.start;
      this.wake();
      return null;
    }
  }

  async #send(progress: WebhookProgress, { batch, next }: Collected): Promise<void> {
    const { now, metrics, openEndpoint } = this.#context;
    const { messages, bytes } = batch;
    this.#endpoint ??= openEndpoint(this.#subscription);
    const posting = new AbortController();
    this.#posting = posting;
    const started_at = now();
    const outcome = await this.#endpoint.post(batch.body(), posting.signal);
    this.#posting = null;
    if (outcome.kind !== 'accepted' && (posting.signal.aborted || this.#isClosed)) return;
    metrics.attempts.inc({ outcome: outcome.kind });
    metrics.attemptSeconds.observe((now() - started_at) / 1_000);
    const told = {
      ...{ started_at, attempt: progress.attempts + 1, outcome: outcome.kind, bytes },
      ...{ messages: messages.length, first: messages[0]?.uuid ?? null, last: messages.at(-1)?.uuid ?? null },
    };
    if (outcome.kind !== 'accepted') return this.#failed(progress, outcome, told);
    const moved = offsets(next).filter(({ partition, offset }) => offset > (this.#next[partition] ?? 0));
    this.#next = [...next];
    this.#isAhead = false;
    // While this is recorded, the next batch is on its way; of what comes after that, nothing before it is recorded.
    await this.#recorded;
    this.#record('delivered', { ...told, next: moved, epoch: progress.epoch }).catch(() => {});
    const ended = now();
    metrics.messages.inc(messages.length);
    for (const { received_at } of messages) metrics.delaySeconds.observe((ended - received_at) / 1_000);
    if (progress.attempts > 0)
      this.#context.log.info({ ...this.#fields(), failed: progress.attempts }, 'a webhook accepts again');
  }

  async #failed(
    progress: WebhookProgress,
    outcome: Exclude<DeliveryOutcome, { kind: 'accepted' }>,
    told: Partial<WebhookAttempt> & { readonly started_at: number },
  ): Promise<void> {
    const { now, random, policy, disableAfterMs, log, metrics } = this.#context;
    const attempt = progress.attempts + 1;
    const asked = outcome.kind === 'status' ? outcome.retryAfterMs : null;
    const next_attempt_at = now() + retryDelayMs(policy, attempt, asked, random());
    const status = outcome.kind === 'status' ? outcome.status : null;
    const reason = 'reason' in outcome ? outcome.reason : null;
    if (attempt === 1)
      log.warn({ ...this.#fields(), outcome: outcome.kind, status, reason }, 'a webhook does not accept');
    await this.#record('failed', { ...told, status, reason, next_attempt_at, epoch: progress.epoch });
    const since = progress.failing_since ?? told.started_at;
    if (now() - since < disableAfterMs) return;
    await this.#record('disabled', { reason: 'failing', epoch: progress.epoch });
    metrics.disabled.inc();
    log.error(
      { ...this.#fields(), failing_since: since },
      'a webhook is disabled: it has failed for too long',
    );
  }

  /** Writes what happened, after all before it, and goes by it at once. */
  async #record(kind: AttemptKind, told: Partial<WebhookAttempt>): Promise<void> {
    const { now, record } = this.#context;
    const { id, clientId } = this.#subscription;
    const epoch = this.#progress?.epoch ?? 1;
    const attempt = attemptOf({ subscription_id: id, client_id: clientId, kind, epoch, at: now() }, told);
    this.#recordedAt = attempt.at;
    if (kind === 'passed') this.#isAhead = false;
    this.#progress = applyAttempt(this.#progress, attempt);
    this.#recorded = this.#recorded.then(() => record(attempt));
    await this.#recorded;
  }

  #adopt(progress: WebhookProgress): void {
    this.#progress = progress;
    this.#next = this.#offsetsOf(progress);
    this.#isAhead = false;
  }

  #offsetsOf(progress: Progress): number[] {
    const next = new Array<number>(this.#context.window.partitions).fill(0);
    for (const { partition, offset } of progress?.next ?? []) next[partition] = offset;
    return next;
  }

  /** Until it is woken, so long at most. */
  async #sleep(ms: number): Promise<void> {
    if (!this.#woken && !this.#isEnding) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS));
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#woken = false;
  }

  #fields(): { client: number; subscription: string } {
    return { client: this.#subscription.clientId, subscription: this.#subscription.id };
  }
}

function offsets(next: readonly number[]): WebhookOffset[] {
  return next.map((offset, partition) => ({ partition, offset }));
}
