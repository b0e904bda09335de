/** Describes a match as the live board does, for a terminal. */

import { boardMatch } from '#story/board-match.ts';
import { feedWords } from '#story/feed-words.ts';
import type { BoardMatch } from '#story/match.ts';
import { guardWords } from '#story/words.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import type { Trading } from '#trading/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { StyledText } from '../../table.ts';

/** Returns e.g. `safe`, or `halted: score under review, feed stale (nothing received)`. */
function tradingWords({ permission, reasons }: Trading, feed: FeedStatus): string {
  if (permission !== 'halted') return permission === 'safe' ? 'safe' : 'not in play';
  const ofFeed = `feed_${feed.state}`;
  const own = guardWords(reasons.filter((reason) => reason !== ofFeed));
  const words = [own, reasons.includes(ofFeed) ? `feed ${feedWords(feed)}` : ''];
  return `halted: ${words.filter((part) => part !== '').join(', ')}`;
}

/** Returns the trading permission with its colour: only safe matches are green. */
export function tradingCell(trading: Trading, feed: FeedStatus): string | StyledText {
  const text = tradingWords(trading, feed);
  if (trading.permission === 'safe') return { text, style: 'green' };
  return trading.permission === 'halted' ? { text, style: 'red' } : text;
}

const NO_LEVELS = { competition: null, season: null, stage: null, group: null };

/** Returns a match as the live board has it at `now`, Unix milliseconds. */
export function boardMatchOf(state: ShownState, feed: FeedStatus, now: number): BoardMatch {
  const view = {
    levelNames: () => NO_LEVELS,
    matchHealth: () => feed,
    halts: { standing: () => NO_HALTS },
    incidentLog: { scoring: () => new Map(), yellowCards: () => new Map(), guardClosedAt: () => null },
  };
  return boardMatch(state, view, now / 1000);
}
