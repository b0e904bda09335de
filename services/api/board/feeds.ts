import { boardMatch } from '#story/board-match.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { ReadView } from './scoped-view.ts';

/** The content of the page of the feeds. */
export type Feeds = ReturnType<typeof feedsOf>;

/** Returns the content of the page of the feeds. `now`: Unix seconds. */
export function feedsOf(view: ReadView, now: number) {
  const records = new Map(view.health.sourceRecords().map((record) => [record.source, record]));
  const live = view.matches.live(now);
  const doubted = live.filter(({ event_id }) => !view.matchHealth(event_id, now * 1000).believed);
  return {
    sources: view.health.sources(now * 1000).flatMap((belief) => {
      const record = records.get(belief.source);
      return record === undefined ? [] : [{ belief, record }];
    }),
    live: live.length,
    doubted: doubted.map((state) => boardMatch(state, view, now)),
    delays: delaysOf(live, view, now),
  };
}

/** How late the last messages of the live matches came; null when none is live. */
function delaysOf(live: readonly ShownState[], view: ReadView, now: number) {
  const delays = live
    .map((state) => ({ state, delay: delayOf(state.cause) }))
    .sort((a, b) => a.delay - b.delay);
  const [middle, last] = [delays[Math.floor(delays.length / 2)], delays.at(-1)];
  if (middle === undefined || last === undefined) return null;
  return {
    /** Milliseconds; below 0 where the provider's clock is ahead. */
    median: middle.delay,
    longest: last.delay,
    slowest: boardMatch(last.state, view, now),
  };
}

/** Returns the time from the provider's writing of a message, a whole second, to its receipt, milliseconds. */
export function delayOf({ ut, received_at }: { readonly ut: number; readonly received_at: number }): number {
  return received_at - ut * 1000;
}
