import { hash } from 'node:crypto';
import { countsOf, type MessageCounts } from '#ingestion/recent-messages.ts';
import { toWholeNumber } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';
import type { MachineClock } from '#timing/clock.ts';
import { type FeedAnswer, isProviderError, itemBytes, ProviderError } from '../provider/answer.ts';
import { readFeed } from '../publish/messages.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';

export const FEED = 'feed';

/** The settings FEED_WINDOW_SECONDS, FEED_SETTLE_SECONDS and FEED_INITIAL_SECONDS, by the provider's clock. */
export type FeedSettings = Readonly<Record<'window' | 'settle' | 'initial', number>>;

type FeedOptions = FeedSettings & {
  /** The checkpoint, Unix seconds; null when there is none. */
  readonly position: number | null;
  readonly time: () => Promise<number>;
  readonly page: (
    query: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ) => Promise<FeedAnswer>;
  readonly topicWriter: Pick<TopicWriter, 'deliver' | 'checkpoint'>;
  readonly clock: Pick<MachineClock, 'unix'>;
  /** Called for every published message, and for the mark of one that is unreadable. */
  readonly onMessage: (message: NormalizedMessage) => void;
  readonly onCounts: (counts: MessageCounts) => void;
  /** Called when the provider's clock is far behind the checkpoint. */
  readonly onClockBack: (position: number, now: number) => void;
  /** Called when the provider refuses the feed between two times, Unix seconds; reading continues at the later one. */
  readonly onGap: (from: number, to: number) => void;
};

/** Lag of the provider's clock behind the checkpoint, seconds, that means that it was set back; a replica lags less. */
const SET_BACK_SECONDS = 3_600;
/** Minimum history of a provider's feed, seconds: what it returns without a window (spec, "Endpoints"). */
const HISTORY_SECONDS = 86_400;
/** Minimum part of expired history that is skipped at once, seconds. */
const MIN_SKIP_SECONDS = 3_600;
/** After a rejection windows of 1 to so many seconds are tried, a minute apart at most, before the first one is sent again. */
const REJECTED_SIZES = 15;
/** Interval between checkpoints while nothing is published, seconds: reading a quiet feed again costs little. */
const QUIET_CHECKPOINT_SECONDS = 10;
/** Maximum number of pages of a window: ends the loop when a provider always names a next page. */
const MAX_PAGES = 10_000;

/** Time without a message after which the feed is quiet, while no event is live. */
const QUIET_AFTER_MS = 15_000;
const QUIET_FACTOR = 4;

/** Returns the wait before the next read of the feed, milliseconds. `silentMs`: time since the last message. */
export function feedWaitMs(periodMs: number, live: number, silentMs: number): number {
  return live === 0 && silentMs > QUIET_AFTER_MS ? periodMs * QUIET_FACTOR : periodMs;
}

export type FeedFollower = ReturnType<typeof feedFollower>;

/**
 * Follows the feed in windows without a gap, from the checkpoint to the provider's now. The checkpoint stays behind seconds that
 * may still receive messages, read again by the next pass, and moves once everything up to it is acknowledged.
 */
export function feedFollower(options: FeedOptions) {
  const { window, settle, initial, time, page, topicWriter, clock } = options;
  let { position } = options;
  /** The last checkpoint written; null before the first. */
  let checkpoint = position;
  /** Whether messages were published since the last checkpoint. */
  let isAhead = false;
  /** Start of the next window of this pass; null before the first. */
  let cursor: number | null = null;
  /** Whether this pass has read an unsettled second. */
  let unsettled = false;
  let size = window;
  let rejections = 0;
  /** Hashes of published messages that may be read again, with the end of the last window that held each. */
  const published = new Map<string, number>();

  /** Begins a new pass at `to`; null: as far back as `initial` says. */
  const moveTo = (to: number | null): void => {
    position = to;
    cursor = null;
    unsettled = false;
  };

  const publish = async (answer: FeedAnswer, to: number): Promise<void> => {
    const { data } = answer;
    // An empty list may arrive as an empty object.
    if (typeof data !== 'object' || data === null || (!Array.isArray(data) && Object.keys(data).length > 0))
      throw new ProviderError('BAD_ANSWER', 'feed.index', 'the feed is not a list');
    const messages = oldestFirst(answer).map((bytes) => ({ bytes, id: hash('sha1', bytes, 'base64') }));
    const fresh = messages.filter(({ id }) => !published.has(id)).map(({ bytes }) => bytes);
    for (const delivery of readFeed(fresh, clock.unix())) {
      await topicWriter.deliver(delivery);
      isAhead = true;
      delivery.normalized.forEach(options.onMessage);
      options.onCounts(countsOf(delivery));
    }
    for (const { id } of messages) published.set(id, to);
  };

  /**
   * Chooses the window after a rejection: the smallest, as it may be too wide; then, beyond the required history, skips a part;
   * else another size, as a proxy may have rejected the request.
   */
  const onRejected = async (from: number, to: number): Promise<void> => {
    size = 1 + (rejections % REJECTED_SIZES);
    rejections += 1;
    const historyFrom = (await time()) - HISTORY_SECONDS;
    if (to - from > 1 || from >= historyFrom) return;
    // By halves: the provider may have more history than it must.
    const skipped = Math.max(MIN_SKIP_SECONDS, Math.ceil((historyFrom - from) / 2));
    const next = Math.min(historyFrom, from + skipped);
    options.onGap(from, next);
    size = 1;
    rejections = 1;
    moveTo(next);
  };

  /** Publishes the new messages of a window. Returns `api.timestamp` of its first page. */
  const readWindow = async (from: number, to: number, signal: AbortSignal): Promise<number> => {
    const query = { timestamp: from, timestamp_to: to };
    try {
      const first = await page(query, signal);
      await publish(first, to);
      let { next } = first;
      for (let pages = 1; next !== null; pages++) {
        if (pages > MAX_PAGES)
          throw new ProviderError('BAD_ANSWER', 'feed.index', 'a window has too many pages');
        const answer = await page({ ...next, ...query }, signal);
        await publish(answer, to);
        next = answer.next;
      }
      size = Math.min(window, size * 2);
      rejections = 0;
      return first.timestamp;
    } catch (error) {
      // A smaller window may fit; the smallest is one second.
      if (isProviderError(error, 'TOO_LARGE')) size = Math.max(1, Math.floor((to - from) / 2));
      if (isProviderError(error, 'REJECTED')) await onRejected(from, to);
      throw error;
    }
  };

  const settleUpTo = async (to: number, timestamp: number, since: number): Promise<void> => {
    const settled = Math.min(to, timestamp - settle);
    unsettled = settled < to;
    if (settled <= since) return;
    const isQuiet = !isAhead && checkpoint !== null && settled >= checkpoint;
    if (!isQuiet || settled - (checkpoint ?? 0) >= QUIET_CHECKPOINT_SECONDS) {
      await topicWriter.checkpoint(FEED, settled);
      checkpoint = settled;
      isAhead = false;
    }
    position = settled;
    for (const [id, lastIn] of published) if (lastIn < settled) published.delete(id);
  };

  return {
    /** Returns the time up to which the feed is settled and published, Unix seconds; null before the first read. */
    position: () => position,
    /** Reads one window. Returns `again` until the provider's now is reached. Throws `ProviderError`, `PublishError`. */
    async read(signal: AbortSignal): Promise<'again' | 'done'> {
      const now = await time();
      if (position !== null && now < position - SET_BACK_SECONDS) {
        options.onClockBack(position, now);
        moveTo(null);
      }
      const since = position ?? Math.max(0, now - initial);
      position = since;
      const from = Math.max(since, cursor ?? since);
      const to = Math.max(from, Math.min(from + size, now));
      const timestamp = await readWindow(from, to, signal);
      if (!unsettled) await settleUpTo(to, timestamp, since);
      const reached = to >= now && timestamp - to <= window;
      cursor = reached ? null : to;
      if (reached) unsettled = false;
      return reached ? 'done' : 'again';
    },
  };
}

/** Returns the messages with the oldest first: some providers list the newest first. */
function oldestFirst(answer: FeedAnswer): Buffer[] {
  const items = itemBytes(answer);
  const messages = items.length === 0 ? [] : (answer.data as readonly { readonly ut?: unknown }[]);
  const [first, last] = [messages[0], messages.at(-1)].map((message) => toWholeNumber(message?.ut) ?? 0);
  return Number(first) > Number(last) ? items.reverse() : items;
}
