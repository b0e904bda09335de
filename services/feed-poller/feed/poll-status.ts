import type { HealthReason } from '#domain/health/verdict.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { HealthGap, IngressStatus } from '#topics/generated/types.ts';
import { ProviderError, type ProviderErrorCode } from '../errors.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';

/** The source that the poller reports of: the origin of its messages. */
const FEED_SOURCE = 'feed';
/** Without a usable answer for so long it is down; a single failure does not count. Milliseconds. */
const DOWN_AFTER_MS = 5_000;
/** A checkpoint this far behind the provider's now, beyond what a round reads again, is caught up with. Seconds. */
const BEHIND_SECONDS = 30;

/** Up to where the feed is read, null before the first reading, and the provider's now; Unix seconds. */
export type FeedReading = { readonly position: number | null; readonly providerNow: number };

type State = Pick<IngressStatus, 'state' | 'reason' | 'progress'>;

const UP: State = { state: 'up', reason: null, progress: null };

const NEVER_PASSES: ReadonlyMap<ProviderErrorCode, HealthReason> = new Map([
  ['CREDENTIALS', 'credentials'],
  ['UNAUTHORIZED', 'credentials'],
  ['FORBIDDEN', 'contract'],
]);
/** The provider is unreachable or fails; all other codes are answers outside its contract. */
const NETWORK: readonly ProviderErrorCode[] = ['UNREACHABLE', 'TIMEOUT', 'SERVER_ERROR', 'STOPPED'];

/** What the poller knows of its source, for ingress-status. Knows no clock; times are Unix milliseconds unless they say else. */
export class PollStatus {
  readonly #instance: string;
  /** How far behind the provider's now the position is at rest: what a round reads again, seconds. */
  readonly #settle: number;
  #state: State = UP;
  #heardAt: number | null = null;
  #failing: { readonly since: number; readonly code: ProviderErrorCode } | null = null;
  #gap: HealthGap | null = null;

  constructor(instance: string, settle: number) {
    this.#instance = instance;
    this.#settle = settle;
  }

  /** A term begins; what the provider wrote since the checkpoint is to be read first. */
  begin(reading: FeedReading): void {
    this.#failing = null;
    this.#catchUp(reading, 'ingress');
  }

  /** A window was read; `more` are to be read at once. */
  read(more: boolean, reading: FeedReading, now: number): void {
    const { reason } = this.#state;
    this.#heardAt = now;
    this.#failing = null;
    if (more) this.#catchUp(reading, reason ?? 'network');
    else this.#state = UP;
  }

  /** A window could not be read. */
  failed(error: ProviderError, now: number): void {
    this.#failing = { since: this.#failing?.since ?? now, code: error.code };
    const reason = NEVER_PASSES.get(error.code);
    if (reason !== undefined) this.#down(reason);
  }

  /** The provider no longer holds its messages between these seconds. */
  skipped(from: number, to: number): void {
    this.#gap = { from: from * 1000, to: to * 1000, reason: 'contract', action: 'skipped' };
  }

  /** What is to be reported at `now`. */
  report(now: number): IngressStatus {
    if (this.#failing !== null && now - this.#failing.since >= DOWN_AFTER_MS && this.#state.state !== 'down')
      this.#down(NETWORK.includes(this.#failing.code) ? 'network' : 'contract');
    return {
      source: FEED_SOURCE,
      instance: this.#instance,
      ...this.#state,
      heard_at: this.#heardAt,
      gap: this.#gap,
      written_at: now,
    };
  }

  #down(reason: HealthReason): void {
    this.#state = { state: 'down', reason, progress: null };
  }

  #catchUp({ position, providerNow }: FeedReading, reason: string): void {
    if (position === null || providerNow - position <= this.#settle + BEHIND_SECONDS) {
      this.#state = UP;
      return;
    }
    const from = this.#state.progress?.from ?? position;
    this.#state = { state: 'recovering', reason, progress: { from, position, to: Math.floor(providerNow) } };
  }
}

/** How often it is looked whether the status changed, and how often it is written all the same, milliseconds. */
const LOOK_MS = 1_000;
const REPEAT_MS = 3_000;

export type FeedReporterOptions = {
  readonly status: PollStatus;
  readonly topicWriter: Pick<TopicWriter, 'status'>;
  readonly clock: MachineClock;
};

/** Writes the status of the feed to ingress-status: on each change, and every three seconds. */
export class FeedReporter {
  readonly #options: FeedReporterOptions;
  #written: { readonly text: string; readonly at: number } | null = null;

  constructor(options: FeedReporterOptions) {
    this.#options = options;
  }

  /** Reports until `signal` is aborted. Throws `PublishError`, or what `permit` throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.report();
      await this.#options.clock.sleep(LOOK_MS, signal);
    }
  }

  /** Reads a window after the status before it is written, since it may publish old messages. Throws what `read` throws. */
  async during(read: () => Promise<'again' | 'done'>, reading: () => FeedReading): Promise<'again' | 'done'> {
    const { status, clock } = this.#options;
    await this.report();
    try {
      const outcome = await read();
      status.read(outcome === 'again', reading(), clock.unix());
      return outcome;
    } catch (error) {
      if (error instanceof ProviderError) status.failed(error, clock.unix());
      throw error;
    }
  }

  /** Writes the status where that is due. */
  async report(): Promise<void> {
    const { status, topicWriter, clock } = this.#options;
    const now = clock.unix();
    const report = status.report(now);
    const { state, reason, progress, gap } = report;
    const text = JSON.stringify([state, reason, progress, gap]);
    if (this.#written?.text === text && now - this.#written.at < REPEAT_MS) return;
    this.#written = { text, at: now };
    await topicWriter.status(report);
  }
}
