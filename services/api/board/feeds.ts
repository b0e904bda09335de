import type { ProcessorBacklog } from './backlog.ts';
import { boardMatch } from './board-match.ts';
import type { ReadView } from './scoped-view.ts';

/** The content of the page of the feeds. */
export type Feeds = ReturnType<typeof feedsOf>;

/**
 * Returns the content of the page of the feeds. `now`: Unix seconds. `waiting`: unprocessed records of each processor; null: not
 * known, undefined: not counted on this server.
 */
export function feedsOf(view: ReadView, now: number, waiting?: readonly ProcessorBacklog[] | null) {
  const records = new Map(view.sourceRecords().map((record) => [record.source, record]));
  const live = view.liveStates();
  const doubted = live.filter(({ event_id }) => !view.matchHealth(event_id, now * 1000).believed);
  return {
    sources: view.sourceHealth(now * 1000).flatMap((belief) => {
      const record = records.get(belief.source);
      return record === undefined ? [] : [{ belief, record }];
    }),
    /** Number of live matches. */
    live: live.length,
    /** Live matches whose feed is not believed. */
    doubted: doubted.map((state) => boardMatch(state, view, now)),
    waiting,
  };
}
