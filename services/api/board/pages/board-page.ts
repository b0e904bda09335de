import type { BoardMatch } from '#story/match.ts';
import { arrange, type BoardSection, competitionsOf, selectMatches } from '../arrange.ts';
import type { BoardQuery } from '../query.ts';
import { document, type Html, html, type Moment, optionsHtml } from './html.ts';
import { matchRow } from './row.ts';

/** Renders the board at `/`. `now`: Unix seconds. */
export function boardPage(matches: readonly BoardMatch[], query: BoardQuery, now: number): string {
  const selected = selectMatches(matches, query, now);
  const content = html`<h1 class="visually-hidden">Live board</h1>
<form id="filters" class="filters row" action="/" method="get" role="search" aria-label="Filter the matches">${filtersHtml(matches, query)}</form>
<p id="halted" class="halted-count small"></p>
<div id="board" class="board">${boardHtml(selected, { now, isLive: false })}</div>
<p id="empty" class="empty"${selected.length > 0 && html` hidden`}>No match found.</p>
<aside class="legend small" aria-label="What the words mean">
<p><b>Halted</b>: do not act on the score now, for the reasons given. <b>Safe</b> needs contact with the server within the last two seconds. <b>Check</b>: do not settle on this result yet.</p>
<p><b>Firm</b> is the score without goals that await confirmation, shown where it differs. An amber score is under review.</p>
<p>At the end of a row: when the last message of the match was received. All times are UTC.</p>
</aside>`;
  return document({
    title: 'Live board',
    here: 'board',
    stream: '',
    styles: ['rows.css', 'board.css'],
    content,
  });
}

const SHOWS: readonly (readonly [BoardQuery['show'], string])[] = [
  ['all', 'All'],
  ['live', 'Live'],
  ['upcoming', 'Upcoming'],
  ['finished', 'Finished'],
];

/** Renders the filters as a plain form, which works without a script. `browser/board.ts` fills the counts in. */
function filtersHtml(matches: readonly BoardMatch[], query: BoardQuery): Html {
  return html`<fieldset class="shows"><legend class="visually-hidden">Show</legend>
${SHOWS.map(
  ([value, label]) =>
    html`<label><input type="radio" name="show" value="${value}"${query.show === value && html` checked`}>${label} <b></b></label>`,
)}</fieldset>
<label class="field"><span>Competition</span>
<select name="competition"><option value="">All competitions</option>${optionsHtml(competitionsOf(matches), query.competition)}</select></label>
<label class="field grow"><span>Team</span>
<input type="search" name="q" value="${query.q}" maxlength="60" autocomplete="off" spellcheck="false" placeholder="Search by team"></label>
<button class="apply" type="submit">Apply</button>`;
}

/** Renders matches in sections and groups. The stream sends each match alone: `browser/board.ts` puts its row among the others by `data-order`. */
export function boardHtml(matches: readonly BoardMatch[], moment: Moment): Html {
  return html`${arrange(matches, moment.now).map((section) => sectionHtml(section, moment))}`;
}

function sectionHtml({ key, title, groups }: BoardSection, moment: Moment): Html {
  return html`<section class="section" id="section-${key}" aria-labelledby="title-${key}">
<h2 id="title-${key}">${title}</h2>
${groups.map(
  ({ key: group, title: name, detail, rows }) => html`<div class="group" id="group-${group}">
<h3>${name}${detail !== '' && html` <span class="soft">${detail}</span>`}</h3>
<ul class="matches">${rows.map((row) => matchRow(row, moment))}</ul>
</div>`,
)}</section>`;
}
