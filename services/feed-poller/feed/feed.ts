import { hash } from 'node:crypto';
import { toWholeNumber } from '#contract/values.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import type { Clock } from '../clock.ts';
import { isProviderError, ProviderError } from '../errors.ts';
import { type Answer, itemBytes } from '../provider/answer.ts';
import { readFeed } from '../publish/messages.ts';
import type { Outlet } from '../publish/outlet.ts';

/** The resource of the feed's checkpoint. */
export const FEED = 'feed';

/** How the feed is followed. All times in seconds of the provider's clock. */
export type FeedSettings = {
  /** Longest window. */
  readonly window: number;
  /** How long a second of the feed may still get messages after it is over. */
  readonly settle: number;
  /** How far back the first reading of all begins. */
  readonly initial: number;
};

/** What the feed is followed with. */
export type FeedOptions = FeedSettings & {
  /** From the checkpoint; null where there is none. */
  readonly position: number | null;
  /** The provider's time, as far as it is known. */
  readonly time: () => Promise<number>;
  /** A page of a window, or that of the query of a next page. */
  readonly page: (query: Readonly<Record<string, string | number>>, signal: AbortSignal) => Promise<Answer>;
  readonly outlet: Pick<Outlet, 'deliver' | 'checkpoint'>;
  readonly clock: Pick<Clock, 'unix'>;
  /** Told of every message that is published. */
  readonly onMessage: (message: NormalizedMessage) => void;
  /** Told that the provider's clock is far behind the checkpoint. */
  readonly onClockBack: (position: number, now: number) => void;
  /** Told that the provider refuses what it had between two seconds, so that the feed is read from the second one. */
  readonly onGap: (from: number, to: number) => void;
};

/** A provider's clock this far behind the checkpoint, in seconds, was set back; less is a matter of its replicas. */
const SET_BACK = 3_600;
/** How far back a provider's feed reaches at least, seconds: it is what it shows without a window (spec, "Endpoints"). */
const REACH = 86_400;
/** Least that is skipped of what the provider no longer has, seconds. */
const SKIP = 3_600;
/** More pages than any window has: whoever names a next page for ever is not followed for ever. */
const MAX_PAGES = 10_000;

/**
 * Follows the feed by windows that are inclusive at both ends and leave no gap.
 *
 * A round goes from the checkpoint to the provider's now, window by window. What is younger than the settle margin may
 * still get messages, so the checkpoint stays behind it and the next round reads it again; messages that were published
 * from there already are not published twice. The checkpoint is written after the acknowledgement of everything up to
 * it, and never passes over what was read before it had settled.
 */
export class FeedFollower {
  readonly #options: FeedOptions;
  #position: number | null;
  /** Where the next window of this round begins; null before the first. */
  #cursor: number | null = null;
  /** Whether this round has read something that was not settled. */
  #unsettled = false;
  #window: number;
  /** Published messages that may be read again, by hash, each with the end of the window it was last in. */
  readonly #published = new Map<string, number>();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#window = options.window;
  }

  /** Everything up to it is settled and published, Unix seconds; null before the first reading. */
  get position(): number | null {
    return this.#position;
  }

  /** Reads one window. `again`: the provider's now is not reached yet. Throws `ProviderError`, `PublishError`. */
  async read(signal: AbortSignal): Promise<'again' | 'done'> {
    const now = await this.#options.time();
    const position = this.#begin(now);
    const from = Math.max(position, this.#cursor ?? position);
    const to = Math.max(from, Math.min(from + this.#window, now));
    const timestamp = await this.#readWindow(from, to, signal);
    await this.#settleUpTo(to, timestamp, position);
    const reached = to >= now && timestamp - to <= this.#options.window;
    this.#cursor = reached ? null : to;
    if (reached) this.#unsettled = false;
    return reached ? 'done' : 'again';
  }

  #begin(now: number): number {
    const { initial, onClockBack } = this.#options;
    if (this.#position !== null && now < this.#position - SET_BACK) {
      onClockBack(this.#position, now);
      this.#position = null;
      this.#cursor = null;
      this.#unsettled = false;
    }
    this.#position ??= Math.max(0, now - initial);
    return this.#position;
  }

  /** Publishes what is new in a window; gives the provider's time of its first page. */
  async #readWindow(from: number, to: number, signal: AbortSignal): Promise<number> {
    try {
      const timestamp = await this.#readPages({ timestamp: from, timestamp_to: to }, to, signal);
      this.#window = Math.min(this.#options.window, this.#window * 2);
      return timestamp;
    } catch (error) {
      // A smaller window may fit; the smallest is one second.
      if (isProviderError(error, 'too_large')) this.#window = Math.max(1, Math.floor((to - from) / 2));
      if (isProviderError(error, 'rejected')) await this.#onRejected(from, to);
      throw error;
    }
  }

  /**
   * A rejected window is asked for in its smallest form, since it may be wider than the provider allows. Where that is
   * rejected as well, and is older than the feed has to reach, the provider no longer has it.
   */
  async #onRejected(from: number, to: number): Promise<void> {
    this.#window = 1;
    const reached = (await this.#options.time()) - REACH;
    if (to - from > 1 || from >= reached) return;
    // By halves, since it may have more than it must.
    const next = Math.min(reached, from + Math.max(SKIP, Math.ceil((reached - from) / 2)));
    this.#options.onGap(from, next);
    this.#position = next;
    this.#cursor = null;
    this.#unsettled = false;
  }

  async #readPages(
    window: { readonly timestamp: number; readonly timestamp_to: number },
    to: number,
    signal: AbortSignal,
  ): Promise<number> {
    const { page } = this.#options;
    const first = await page(window, signal);
    await this.#publish(first, to);
    let next = first.next;
    for (let pages = 1; next !== null; pages++) {
      if (pages > MAX_PAGES) throw new ProviderError('bad_answer', 'feed.index', 'a window without an end');
      const answer = await page({ ...next, ...window }, signal);
      await this.#publish(answer, to);
      next = answer.next;
    }
    return first.timestamp;
  }

  async #publish(answer: Answer, to: number): Promise<void> {
    const { outlet, clock, onMessage } = this.#options;
    if (!isList(answer.data)) throw new ProviderError('bad_answer', 'feed.index', 'the feed is not a list');
    const fresh: Buffer[] = [];
    const hashes: string[] = [];
    for (const bytes of oldestFirst(answer)) {
      const id = hash('sha1', bytes, 'base64');
      hashes.push(id);
      if (!this.#published.has(id)) fresh.push(bytes);
    }
    for (const delivery of readFeed(fresh, clock.unix())) {
      await outlet.deliver(delivery);
      delivery.normalized.forEach(onMessage);
    }
    for (const id of hashes) this.#published.set(id, to);
  }

  async #settleUpTo(to: number, timestamp: number, position: number): Promise<void> {
    if (this.#unsettled) return;
    const settled = Math.min(to, timestamp - this.#options.settle);
    this.#unsettled = settled < to;
    if (settled <= position) return;
    await this.#options.outlet.checkpoint(FEED, settled);
    this.#position = settled;
    for (const [id, lastIn] of this.#published) if (lastIn < settled) this.#published.delete(id);
  }
}

/** Providers list the newest first, or the oldest; what happened first is to be published first. */
function oldestFirst(answer: Answer): Buffer[] {
  const items = itemBytes(answer);
  const messages = answer.data as readonly { readonly ut?: unknown }[];
  const [first, last] = items.length === 0 ? [] : [messages[0], messages.at(-1)];
  const isNewestFirst = (toWholeNumber(first?.ut) ?? 0) > (toWholeNumber(last?.ut) ?? 0);
  return isNewestFirst ? items.reverse() : items;
}

/** An empty list may come as an empty object. */
function isList(data: unknown): boolean {
  return Array.isArray(data) || (typeof data === 'object' && data !== null && Object.keys(data).length === 0);
}
