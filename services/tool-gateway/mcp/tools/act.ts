/** Whether to act on a match, and why, as one line for an assistant. */
import { GUARD_WORDS } from '#domain/guard-words.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { tradingOf } from '#tradability/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';

const REASONS: Readonly<Record<string, string>> = {
  ...GUARD_WORDS,
  unknown_score: 'the firm score is unknown',
};

/** Returns the line. It begins with `You may act`, `Do not act` or `Nothing to act on`. */
export function actLine(state: ShownState, feed: FeedStatus): string {
  const { status_type, firm } = state;
  const { permission, reasons } = tradingOf(state, feed);
  if (permission === 'not_in_play')
    return `Nothing to act on: the match ${status_type === 'scheduled' ? 'has not begun' : `is ${status_type}`}.`;
  if (permission === 'safe' && firm !== null)
    return `You may act on the firm score ${firm.home}-${firm.away}: the guard is safe and the feed is alive.`;
  const cause = feed.reason === null ? '' : ` (${feed.reason})`;
  const words: Readonly<Record<string, string>> = {
    ...REASONS,
    [`feed_${feed.state}`]: `the feed of the match is ${feed.state}${cause}`,
  };
  return `Do not act: ${reasons.map((reason) => words[reason] ?? reason).join(', ')}.`;
}
