import type { Waiting } from './backlog.ts';
import { boardMatch } from './board-match.ts';
import type { ReadView } from './scoped-view.ts';

export type Feeds = ReturnType<typeof feedsOf>;

/**
 * As at `now`, Unix seconds. `waiting`: what waits within Touchline; null where that is not known, undefined where nobody counts
 * it.
 */
export function feedsOf(view: ReadView, now: number, waiting?: readonly Waiting[] | null) {
  const records = new Map(view.sourceRecords().map((record) => [record.source, record]));
  const live = view.liveStates();
  const doubted = live.filter(({ event_id }) => !view.matchHealth(event_id, now * 1000).believed);
  return {
    sources: view.sourceHealth(now * 1000).flatMap((belief) => {
      const record = records.get(belief.source);
      return record === undefined ? [] : [{ belief, record }];
    }),
    /** How many matches are live, and which of them have no feed to rely on. */
    live: live.length,
    doubted: doubted.map((state) => boardMatch(state, view, now)),
    waiting,
  };
}
