import type { Assets } from '../assets.ts';
import { arrange, type BoardQuery } from '../shown/arrange.ts';
import { boardHtml, filtersHtml } from '../shown/board.ts';
import { type BoardSource, feedsHtml } from '../shown/feed.ts';
import { html } from '../shown/html.ts';
import type { BoardMatch } from '../shown/match.ts';
import { document } from './layout.ts';

/** The board at `/`, as it stands at `now` (Unix seconds). */
export function boardPage(
  matches: readonly BoardMatch[],
  sources: readonly BoardSource[],
  query: BoardQuery,
  now: number,
  assets: Assets,
): string {
  const arrangement = arrange(matches, query);
  const content = html`<h1 class="visually-hidden">Live board</h1>
<form id="filters" class="filters" action="/" method="get" role="search" aria-label="Filter the matches">${filtersHtml(arrangement, query)}</form>
<p id="feeds" class="feeds" role="status">${feedsHtml(sources, 'awaited')}</p>
<div id="board" class="board">${boardHtml(arrangement, query, { now, wordOf: () => 'awaited' })}</div>
<aside class="legend" aria-label="What the words mean">
<p><b>Under review</b>: a goal counted here awaits confirmation, or may be cancelled. <b>Firm</b> is the score without such goals; it is shown where it differs.</p>
<p><b>Trading halted</b>: do not act on the score now, for the reasons given. A goal that did not happen is never firm. Nothing is safe without a word from the server in the last two seconds.</p>
<p><b>Feed stale, down</b>: of a live match nothing was received for too long, or what was received is not shown yet. Do not act on it.</p>
<p><b>Final</b>: the match is over. The trading guard is shown while a match is open.</p>
</aside>`;
  return document(
    {
      title: 'Live board · Touchline',
      here: 'board',
      stream: null,
      style: 'board.css',
      script: 'browser/board.js',
      content,
    },
    assets,
  );
}
