/** Renders the matches of the board. */
import type { BoardMatch } from '#story/match.ts';
import { arrange, type BoardSection } from '../arrange.ts';
import { type Html, html } from './html.ts';
import type { Moment } from './moment.ts';
import { matchRow } from './row.ts';

/**
 * Renders matches in their sections and groups. The stream sends each match alone, so rendered; `browser/board.ts` puts its row among
 * the others by the ids and `data-order`.
 */
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
