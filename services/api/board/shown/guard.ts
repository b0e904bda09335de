/** What the board says of the permission to trade. */
import { type Permission, type Trading, tradingOf } from '#tradability/trading.ts';
import { feedWords } from './feed.ts';
import { type Html, html } from './html.ts';
import type { Word } from './last-word.ts';
import type { BoardMatch } from './match.ts';
import { guardWords } from './words.ts';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  safe: 'Safe to trade',
  halted: 'Trading halted',
  not_in_play: 'Not in play',
  awaited: 'Guard awaits the next update',
};

/** Why a match may not be traded, in words: all reasons that are not left out. */
function haltWords(reasons: Trading['reasons'], { feed }: BoardMatch, leftOut: ReadonlySet<string>): string {
  const ofFeed = `feed_${feed.state}`;
  const words = guardWords(reasons.filter((reason) => reason !== ofFeed && !leftOut.has(reason)));
  return [words, reasons.includes(ofFeed) ? `feed ${feedWords(feed)}` : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** What the rule says, as far as the server's word counts: none is safe without it. */
function shownTrading(
  match: BoardMatch,
  word: Word,
): Pick<Trading, 'reasons'> & { readonly verdict: Verdict } {
  const { permission, reasons } = tradingOf(match, match.feed);
  if (permission === 'not_in_play' || word === 'fresh') return { verdict: permission, reasons };
  if (word === 'lost') return { verdict: 'halted', reasons: [...reasons, 'no_word'] };
  return { verdict: permission === 'safe' ? 'awaited' : permission, reasons };
}

type Verdict = Permission | 'awaited';

/** The mark of a row; nothing where the match is not in play. Reasons that are left out have a mark of their own. */
export function permissionMark(match: BoardMatch, word: Word, leftOut: ReadonlySet<string>): Html | false {
  const { verdict, reasons } = shownTrading(match, word);
  if (verdict === 'not_in_play') return false;
  if (verdict === 'awaited') return html`<span class="mark">${VERDICTS.awaited}</span> `;
  if (verdict === 'safe') return html`<span class="mark safe">${VERDICTS.safe}</span> `;
  const words = haltWords(reasons, match, leftOut);
  return html`<span class="mark halted">Trading halted${words !== '' && `: ${words}`}</span> `;
}

/** The panel of a match that is not over. */
export function guardHtml(match: BoardMatch, word: Word): Html {
  const { verdict, reasons } = shownTrading(match, word);
  return html`<section id="guard" class="panel guard is-${verdict}" aria-labelledby="guard-title">
<h2 id="guard-title">Trading guard</h2>
<p class="verdict">${VERDICTS[verdict]}</p>
${verdict === 'halted' && html`<p>Because: ${haltWords(reasons, match, new Set())}.</p>`}
</section>`;
}
