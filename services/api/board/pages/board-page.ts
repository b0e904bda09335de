import type { BoardMatch } from '#story/match.ts';
import { alertsHtml } from '../shared/alerts.ts';
import { appearanceHtml } from '../shared/appearance.ts';
import { arrange, type BoardQuery, cardsOrRows } from '../shared/arrange.ts';
import { boardHtml, filtersHtml } from '../shared/board.ts';
import { type BoardSource, feedsHtml } from '../shared/feed.ts';
import { html } from '../shared/html.ts';
import { matchRow } from '../shared/row.ts';
import { document } from './layout.ts';

/** Renders the board at `/`. `now`: Unix seconds. */
export function boardPage(
  matches: readonly BoardMatch[],
  sources: readonly BoardSource[],
  query: BoardQuery,
  now: number,
): string {
  // Only the reader's browser knows the favourites.
  const arrangement = arrange(matches, query, null, now);
  const content = html`<h1 class="visually-hidden">Live board</h1>
<form id="filters" class="filters row" action="/" method="get" role="search" aria-label="Filter the matches">${filtersHtml(arrangement, query)}</form>
<div class="bar row small"><p id="feeds" class="row" role="status">${feedsHtml(sources, 'awaited')}</p>
<div class="row">${appearanceHtml()}${alertsHtml()}</div></div>
<div id="board" class="board" data-as="${cardsOrRows(query)}">${boardHtml(arrangement, query, (match) => matchRow(match, { now, connection: 'awaited' }, false))}</div>
<aside class="legend small" aria-label="What the words mean">
<p><b>Halted</b>: do not act on the score now, for the reasons given. <b>Safe</b> needs contact with the server within the last two seconds. <b>Check</b>: do not settle on this result yet.</p>
<p><b>Firm</b> is the score without goals that await confirmation, shown where it differs. An amber score is under review.</p>
<p>At the end of a row: how long ago the last message of the match was received.</p>
</aside>`;
  return document({
    title: 'Live board',
    here: 'board',
    styles: ['rows.css', 'board.css', 'cards.css'],
    script: 'board/browser/board.js',
    content,
  });
}
