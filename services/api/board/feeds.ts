import type { FeedHealth } from '#topics/generated/types.ts';
import type { SourceFeedStatus } from '#tradability/feed-status.ts';
import type { Waiting } from './backlog.ts';
import { boardMatch } from './board-match.ts';
import type { ReadView } from './scoped-view.ts';
import type { BoardMatch } from './shown/match.ts';

/** What the page of the feeds shows. */
export type Feeds = {
  readonly sources: readonly { readonly belief: SourceFeedStatus; readonly record: FeedHealth }[];
  /** How many matches are live, and which of them have no feed to rely on. */
  readonly live: number;
  readonly doubted: readonly BoardMatch[];
  /** What waits within Touchline; null where that is not known, undefined where nobody counts it. */
  readonly waiting?: readonly Waiting[] | null | undefined;
};

/** As at `now`, Unix seconds. */
export function feedsOf(view: ReadView, now: number, waiting?: readonly Waiting[] | null): Feeds {
  const records = new Map(view.sourceRecords().map((record) => [record.source, record]));
  const live = view.liveStates();
  const doubted = live.filter(({ event_id }) => !view.matchHealth(event_id, now * 1000).believed);
  return {
    sources: view.sourceHealth(now * 1000).flatMap((belief) => {
      const record = records.get(belief.source);
      return record === undefined ? [] : [{ belief, record }];
    }),
    live: live.length,
    doubted: doubted.map((state) => boardMatch(state, view, now)),
    waiting,
  };
}
