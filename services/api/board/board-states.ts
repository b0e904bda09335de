/** What is on the board: which matches, and what the head of a page says of the sources (docs/guides/feed-health.md). */
import { formatDate } from '#contract/rest/parameters.ts';
import { feedWords, shownFeed, sourceName } from '#story/feed-words.ts';
import type { BoardMatch } from '#story/match.ts';
import { reasonWords } from '#story/words.ts';
import type { SourceFeedStatus } from '#trading/feed-status.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import type { FeedsHead } from './browser/heartbeat.ts';
import type { ReadView } from './scoped-view.ts';

/** Returns what the board shows of the sources. `now`: Unix seconds. */
export function boardSources(view: Pick<BoardView, 'health'>, now: number): BoardSource[] {
  return view.health.sources(now * 1000).map((status) => ({ source: status.source, ...shownFeed(status) }));
}

/** The largest share of the board for matches that begin next. */
const UPCOMING_SHARE = 1 / 4;
const DAY_SECONDS = 86_400;

/** Returns the earliest kick-off of an upcoming match: one that has not begun within a day of it is not upcoming. */
export function earliestKickOff(now: number): string {
  return formatDate(now - DAY_SECONDS).slice(0, 16);
}

/** Returns the matches on the board: live ones, those that begin next, and the last changed others up to `size`. `now`: Unix seconds. */
export function boardStates(view: ReadView, size: number, now: number): ShownState[] {
  const states = new Map(view.matches.live(now).map((state) => [state.event_id, state]));
  const room = Math.max(0, size - states.size);
  const next = view.matches.upcoming(earliestKickOff(now), Math.min(room, Math.ceil(size * UPCOMING_SHARE)));
  for (const state of next) states.set(state.event_id, state);
  for (const state of view.matches.recent(size)) {
    if (states.size >= size) break;
    states.set(state.event_id, state);
  }
  return [...states.values()];
}

export type BoardSource = BoardMatch['feed'] & Pick<SourceFeedStatus, 'source'>;

/** Returns what the head of a connected page says: a page is up to date only while each source is believed. */
export function feedsHead(sources: readonly BoardSource[]): FeedsHead {
  if (sources.length === 0) return { believed: 'none', words: 'Feeds: health unknown' };
  const doubted = sources.filter(({ believed, reason }) => !believed || reason !== null);
  if (doubted.length === 0) return { believed: 'all', words: 'Up to date' };
  return {
    believed: sources.some(({ believed }) => believed) ? 'some' : 'none',
    words: doubted
      .map(({ source, believed, state, reason, delay }) => {
        // A believed one has a reason while its last read failed.
        const feed = { state, reason: state === 'delayed' ? reason : null, delay };
        return `${sourceName(source)} ${believed && reason !== null ? reasonWords(reason) : feedWords(feed)}`;
      })
      .join(', '),
  };
}
