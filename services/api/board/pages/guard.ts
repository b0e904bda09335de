/** Renders the permission to trade. */
import { sameScore } from '#domain/goals.ts';
import type { GuardReason } from '#domain/guard.ts';
import { hasResult } from '#domain/message-key.ts';
import { feedWords } from '#story/feed-words.ts';
import { clockWords, scopeWords } from '#story/halts.ts';
import type { BoardMatch, ShownHalt } from '#story/match.ts';
import { timeText } from '#story/minute.ts';
import { differenceWords, guardWords, kickOffWords, scoreWords } from '#story/words.ts';
import { type Permission, type Trading, tradingOf, WENT_BACK } from '#trading/trading.ts';
import { type Html, html, type Moment, NO_WORD, whileConnected } from './html.ts';

/** What a page may say of a match: `safe` only where it is withdrawn in time, else `awaited`. */
type ShownState = Permission | 'awaited' | 'check';

function haltWords(reasons: Trading['reasons'], match: BoardMatch): string {
  const wordsOf = (reason: string): string => {
    if (reason === `feed_${match.feed.state}`) return `feed ${feedWords(match.feed)}`;
    if (reason === 'halted_by_hand') return match.halts.standing.map(handWords).join(', ');
    return reason === 'score_differs' ? differenceWords(match) : reason;
  };
  return guardWords(reasons.map(wordsOf));
}

/** Returns e.g. `halted by hand by anna until 20:15:00 UTC: stream is late`. */
function handWords({ scope, user, reason, until }: ShownHalt): string {
  const what = scope.startsWith('match:') ? '' : ` (${scopeWords(scope)})`;
  return `halted by hand${what} by ${user}${until === null ? '' : ` until ${clockWords(until)}`}: ${reason}`;
}

/** Renders the guard of a row: icon, word, and reasons on their own line. `state` chooses the row's colour. */
export function guardCell(match: BoardMatch, moment: Moment) {
  const { permission, reasons } = tradingOf(match, match.feed, match.halts);
  const cellOf = (state: ShownState, words: Html) => ({ state, cell: html`${ICON}${words}` });
  if (permission === 'halted')
    return cellOf(permission, wordWithReasons('Halted', haltWords(reasons, match), match.halted_since));
  if (permission === 'not_in_play') {
    const doubts = resultDoubts(match);
    return doubts.length === 0
      ? { state: permission, cell: html`` }
      : cellOf('check', wordWithReasons('Check', doubts.join(', ')));
  }
  if (!moment.isLive) return cellOf('awaited', wordWithReasons('Waiting', 'for the next update'));
  return cellOf(permission, whileConnected(moment, SAFE, wordWithReasons('Halted', NO_WORD)));
}

const ICON = html`<span class="icon" aria-hidden="true"></span>`;
const SAFE = html`<b>Safe</b><span class="visually-hidden"> to trade</span>`;

/** `since`: Unix milliseconds. */
function wordWithReasons(word: string, reasons: string, since: number | null = null): Html {
  return html`<b>${word}${since !== null && html` <small>since ${timeText(since / 1000).slice(0, 5)}</small>`}</b><span class="visually-hidden">: </span><span class="reasons" title="${reasons}">${reasons}</span>`;
}

/** Reasons of a guard by which the score of a match that is over may still change. */
const UNSETTLED: ReadonlySet<string> = new Set<GuardReason | typeof WENT_BACK>([
  'score_differs',
  'missing_from_list',
  'unread_message',
  'unexplained_cancellation',
  WENT_BACK,
]);

/** Returns the reasons against settling a finished match by its result. A verified result is no longer compared. */
export function resultDoubts(match: BoardMatch): string[] {
  const { status_id, status_type, under_review, guard } = match;
  if (status_type !== 'finished') return [];
  const unsettled = guard.reasons.filter((reason) => UNSETTLED.has(reason));
  return [
    hasResult(status_id, status_type) ? '' : 'no result unless one is awarded',
    under_review ? 'a goal is still under review' : '',
    ...unsettled.map((reason) => haltWords([reason], match)),
  ].filter((doubt) => doubt !== '');
}

/** Renders the guard on the page of a match that is not over. */
export function guardHtml(match: BoardMatch, moment: Moment): Html {
  const { permission, reasons } = tradingOf(match, match.feed, match.halts);
  const firm = firmHtml(match);
  const section = (state: ShownState, words: Html | string, because: Html | string): Html =>
    html`<section id="guard" class="guard" data-guard="${state}" aria-labelledby="guard-title">
<h2 id="guard-title" class="visually-hidden">Trading guard</h2>
<p class="verdict">${ICON}${words}${firm && html` ${firm}`}</p>
<p class="because">${because}</p>
</section>`;
  const halted = 'Trading halted';
  if (permission === 'halted') return section(permission, halted, sentence(haltWords(reasons, match)));
  if (permission === 'not_in_play')
    return section(permission, 'Not in play', `Kick-off: ${kickOffWords(match.start_date)}.`);
  if (!moment.isLive) return section('awaited', 'Guard awaits the next update', '');
  const because = whileConnected(moment, '', sentence(NO_WORD));
  return section(permission, whileConnected(moment, 'Safe to trade', halted), because);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Renders the firm score, where it is known and differs from the score. */
export function firmHtml({ score, firm }: Pick<BoardMatch, 'score' | 'firm'>): Html | null {
  if (firm === null || sameScore(score, firm)) return null;
  return html`<span class="firm">firm <b>${scoreWords(firm)}</b></span>`;
}
