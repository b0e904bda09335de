/** Renders the permission to trade. */
import type { GuardReason } from '#domain/guard.ts';
import { hasResult } from '#domain/result.ts';
import { feedWords } from '#story/feed-words.ts';
import { clockWords, scopeWords } from '#story/hand-halts.ts';
import type { BoardMatch, ShownHalt } from '#story/match.ts';
import { timeText } from '#story/minute.ts';
import { differenceWords, guardWords, isSameScore, kickOffWords, scoreWords } from '#story/words.ts';
import { type Permission, type Trading, tradingOf, WENT_BACK } from '#tradability/trading.ts';
import type { ConnectionState, ShownMoment } from './heartbeat.ts';
import { type Html, html } from './html.ts';

const PERMISSIONS: Readonly<Record<ShownPermission, string>> = {
  safe: 'Safe to trade',
  halted: 'Trading halted',
  not_in_play: 'Not in play',
  awaited: 'Guard awaits the next update',
};

/** A permission as it may be shown; `awaited`: the next update decides. */
type ShownPermission = Permission | 'awaited';

/** Returns all reasons against trading a match, in words. */
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

/** Returns the permission to trade as it may be shown: no match is safe without a fresh connection. */
function shownTrading(
  match: BoardMatch,
  connection: ConnectionState,
): Pick<Trading, 'reasons'> & { readonly permission: ShownPermission } {
  const { permission, reasons } = tradingOf(match, match.feed, match.halts);
  if (permission === 'not_in_play' || connection === 'fresh') return { permission, reasons };
  if (connection === 'lost') return { permission: 'halted', reasons: [...reasons, 'states_unread'] };
  return { permission: permission === 'safe' ? 'awaited' : permission, reasons };
}

/** Renders the guard of a row: icon, word, and reasons on their own line. `state` chooses the row's colour. */
export function guardCell(
  match: BoardMatch,
  { connection, zone }: Pick<ShownMoment, 'connection' | 'zone'>,
): { readonly state: ShownPermission | 'check'; readonly cell: Html } {
  const { permission, reasons } = shownTrading(match, connection);
  const doubts = permission === 'not_in_play' ? resultDoubts(match) : [];
  if (doubts.length > 0) return { state: 'check', cell: wordWithReasons('Check', doubts.join(', ')) };
  switch (permission) {
    case 'safe':
      return { state: permission, cell: SAFE };
    case 'awaited':
      return { state: permission, cell: wordWithReasons('Waiting', 'for the next update') };
    case 'halted':
      return {
        state: permission,
        cell: wordWithReasons('Halted', haltWords(reasons, match), sinceHtml(match, zone)),
      };
    case 'not_in_play':
      return { state: permission, cell: html`` };
  }
}

const ICON = html`<span class="icon" aria-hidden="true"></span>`;
const SAFE = html`${ICON}<b>Safe</b><span class="visually-hidden"> to trade</span>`;

/** Renders since when guard or feed halt a match. */
function sinceHtml({ halted_since: since }: BoardMatch, zone: string | undefined): Html | false {
  return since !== null && html` <small>since ${timeText(since / 1000, zone).slice(0, 5)}</small>`;
}

function wordWithReasons(word: string, reasons: string, since: Html | false = false): Html {
  return html`${ICON}<b>${word}${since}</b><span class="visually-hidden">: </span><span class="reasons" title="${reasons}">${reasons}</span>`;
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

/** Returns the line below the permission: the reasons of a halt, or the kick-off. */
function becauseWords(permission: ShownPermission, reasons: Trading['reasons'], match: BoardMatch): string {
  if (permission === 'halted') {
    const words = haltWords(reasons, match);
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  }
  return permission === 'not_in_play' ? `Kick-off: ${kickOffWords(match.start_date)}.` : '';
}

/** Renders the guard on the page of a match that is not over. */
export function guardHtml(match: BoardMatch, connection: ConnectionState): Html {
  const { permission, reasons } = shownTrading(match, connection);
  const firm = firmHtml(match);
  return html`<section id="guard" class="guard" data-guard="${permission}" aria-labelledby="guard-title">
<h2 id="guard-title" class="visually-hidden">Trading guard</h2>
<p class="verdict">${ICON}${PERMISSIONS[permission]}${firm && html` ${firm}`}</p>
<p class="because">${becauseWords(permission, reasons, match)}</p>
</section>`;
}

/** Renders the firm score, where it is known and differs from the score. */
export function firmHtml({ score, firm }: Pick<BoardMatch, 'score' | 'firm'>): Html | null {
  if (firm === null || isSameScore(score, firm)) return null;
  return html`<span class="firm">firm <b>${scoreWords(firm)}</b></span>`;
}
