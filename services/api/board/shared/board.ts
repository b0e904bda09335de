import type { BoardMatch } from '#story/match.ts';
import type { Arrangement, BoardGroup, BoardQuery, BoardSection } from './arrange.ts';
import type { ConnectionState } from './heartbeat.ts';
import { type Html, html, optionsHtml } from './html.ts';

type DrawRow = (match: BoardMatch) => Html;

/** Renders the sections of the board. A group that `isSame` becomes a placeholder: `morph` leaves the group in the page unchanged. */
export function boardHtml(
  { sections, shown }: Arrangement,
  query: BoardQuery,
  drawRow: DrawRow,
  isSame: (group: BoardGroup) => boolean = () => false,
): Html {
  if (shown === 0) return html`<p class="empty" data-key="empty">${emptyWords(query)}</p>`;
  const drawGroup = (group: BoardGroup): Html =>
    isSame(group) ? sameHtml(group) : groupHtml(group, drawRow);
  return html`${sections.map((section) => sectionHtml(section, drawGroup))}`;
}

/** Returns how many of the shown matches are halted, e.g. `9 of 63 halted`; empty while none is in play. Without a connection all are. */
export function haltedWords({ trading: { halted, of } }: Arrangement, connection: ConnectionState): string {
  return of === 0 ? '' : `${connection === 'lost' ? of : halted} of ${of} halted`;
}

function sectionHtml({ key, title, groups }: BoardSection, drawGroup: (group: BoardGroup) => Html): Html {
  return html`<section class="section" data-key="${key}" aria-labelledby="title-${key}">
<h2 id="title-${key}">${title}</h2>
${groups.map(drawGroup)}</section>`;
}

function sameHtml({ key }: BoardGroup): Html {
  return html`<div class="group" data-key="${key}" data-same="yes"></div>`;
}

function groupHtml({ key, title, detail, matches }: BoardGroup, drawRow: DrawRow): Html {
  return html`<div class="group" data-key="${key}">
${title !== '' && html`<h3>${title}${detail !== '' && html` <span class="soft">${detail}</span>`}</h3>`}
<ul class="matches">${matches.map(drawRow)}</ul>
</div>`;
}

function emptyWords({ show, q, competition }: BoardQuery): string {
  if (q !== '' || competition !== null)
    return 'No match found. Search for another team or choose all competitions.';
  if (show === 'favourites') return 'No favourite yet. Add a match with the star at the end of its row.';
  return show === 'live' ? 'No match is live at the moment.' : 'No match received yet.';
}

const SHOWS: readonly (readonly [BoardQuery['show'], string])[] = [
  ['all', 'All'],
  ['live', 'Live'],
  ['upcoming', 'Upcoming'],
  ['finished', 'Finished'],
  ['favourites', 'Favourites'],
];

const ORDERS: readonly (readonly [BoardQuery['by'], string])[] = [
  ['status', 'Live first'],
  ['halted', 'Halted first'],
  ['favourites', 'Favourites first'],
  ['competition', 'Competition'],
  ['kick-off', 'Kick-off'],
];

/** Renders the filters as a plain form, which works without a script. */
export function filtersHtml({ counts, competitions }: Arrangement, query: BoardQuery): Html {
  return html`<fieldset class="shows"><legend class="visually-hidden">Show</legend>
${SHOWS.map(
  ([value, label]) =>
    html`<label class="show-${value}"><input type="radio" name="show" value="${value}"${query.show === value && html` checked`}><span class="label">${label}</span> <b>${counts[value]}</b></label>`,
)}</fieldset>
<label class="field"><span>Competition</span>
<select name="competition"><option value="">All competitions</option>${optionsHtml(
    competitions.map(({ id, name }) => [id, name]),
    query.competition,
  )}</select></label>
<label class="field"><span>Sort</span>
<select name="by">${optionsHtml(ORDERS, query.by)}</select></label>
<label class="field grow"><span>Team</span>
<input type="search" name="q" value="${query.q}" maxlength="60" autocomplete="off" spellcheck="false" placeholder="Search by team"></label>
<button class="apply" type="submit">Apply</button>`;
}
