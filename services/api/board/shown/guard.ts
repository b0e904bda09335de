/** What the board says of the permission to trade. */
import { type Trading, tradingOf } from '#tradability/trading.ts';
import { feedWords } from './feed.ts';
import { type Html, html } from './html.ts';
import type { BoardMatch } from './match.ts';
import { guardWords } from './words.ts';

/** Why a match may not be traded, in words: all reasons that are not left out. */
function haltWords(reasons: Trading['reasons'], { feed }: BoardMatch, leftOut: ReadonlySet<string>): string {
  const ofFeed = `feed_${feed.state}`;
  const words = guardWords(reasons.filter((reason) => reason !== ofFeed && !leftOut.has(reason)));
  return [words, reasons.includes(ofFeed) ? `feed ${feedWords(feed)}` : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** The mark of a row; nothing where the match is not in play. Reasons that are left out have a mark of their own. */
export function permissionMark(match: BoardMatch, leftOut: ReadonlySet<string>): Html | false {
  const { permission, reasons } = tradingOf(match, match.feed);
  if (permission === 'not_in_play') return false;
  if (permission === 'safe') return html`<span class="mark safe">Safe to trade</span> `;
  const words = haltWords(reasons, match, leftOut);
  return html`<span class="mark halted">Trading halted${words !== '' && `: ${words}`}</span> `;
}

const VERDICTS = { safe: 'Safe to trade', halted: 'Trading halted', not_in_play: 'Not in play' } as const;

/** The panel of a match that is not over. */
export function guardHtml(match: BoardMatch): Html {
  const { permission, reasons } = tradingOf(match, match.feed);
  return html`<section class="panel guard is-${permission}" aria-labelledby="guard-title">
<h2 id="guard-title">Trading guard</h2>
<p class="verdict">${VERDICTS[permission]}</p>
${permission === 'halted' && html`<p>Because: ${haltWords(reasons, match, new Set())}.</p>`}
</section>`;
}
