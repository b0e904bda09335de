import type { Arrangement, BoardGroup, BoardQuery, BoardSection } from './arrange.ts';
import { type Html, html } from './html.ts';
import type { Word } from './last-word.ts';
import type { BoardMatch } from './match.ts';
import { matchRow } from './row.ts';

/** Whether what is known of a match counts, and when that is, Unix seconds. */
export type Sight = { readonly now: number; readonly wordOf: (match: BoardMatch) => Word };

/** Everything of the board that changes with its matches. */
export function boardHtml({ sections, shown }: Arrangement, query: BoardQuery, sight: Sight): Html {
  if (shown === 0) return html`<p class="empty" data-key="empty">${emptyWords(query)}</p>`;
  return html`${sections.map((section) => sectionHtml(section, sight))}`;
}

function sectionHtml({ key, title, groups }: BoardSection, sight: Sight): Html {
  return html`<section class="section" data-key="${key}" aria-labelledby="title-${key}">
<h2 id="title-${key}">${title}</h2>
${groups.map((group) => groupHtml(group, sight))}</section>`;
}

function groupHtml({ key, title, detail, matches }: BoardGroup, { now, wordOf }: Sight): Html {
  return html`<div class="group" data-key="${key}">
${title !== '' && html`<h3>${title}${detail !== '' && html` <span class="detail">${detail}</span>`}</h3>`}
<ul class="matches">${matches.map((match) => matchRow(match, { now, word: wordOf(match) }))}</ul>
</div>`;
}

function emptyWords({ show, q, competition }: BoardQuery): string {
  if (q !== '' || competition !== null)
    return 'No match found. Search for another team or choose all competitions.';
  return show === 'live' ? 'No match is live at the moment.' : 'No match received yet.';
}

const SHOWS = [
  ['all', 'All'],
  ['live', 'Live'],
  ['upcoming', 'Upcoming'],
  ['finished', 'Finished'],
] as const;

/** The filters: a plain form, so that it works without a script too. */
export function filtersHtml({ counts, competitions }: Arrangement, query: BoardQuery): Html {
  return html`<fieldset class="shows"><legend class="visually-hidden">Show</legend>
${SHOWS.map(
  ([value, label]) =>
    html`<label><input type="radio" name="show" value="${value}"${query.show === value && html` checked`}><span>${label} <b>${counts[value]}</b></span></label>`,
)}</fieldset>
<label class="field"><span>Competition</span>
<select name="competition"><option value="">All</option>${competitions.map(
    ({ id, name }) =>
      html`<option value="${id}"${query.competition === id && html` selected`}>${name}</option>`,
  )}</select></label>
<label class="field"><span>Group by</span>
<select name="by"><option value="status">Status</option><option value="competition"${query.by === 'competition' && html` selected`}>Competition</option></select></label>
<label class="field grow"><span>Team</span>
<input type="search" name="q" value="${query.q}" maxlength="60" autocomplete="off" spellcheck="false" placeholder="Search by team"></label>
<button class="apply" type="submit">Apply</button>`;
}
