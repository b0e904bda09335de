import { type CorrectionWords, correctionText, differenceText } from '#domain/standings/provider-league.ts';
import { type BoardMatch, matchName } from '#story/match.ts';
import { scoreWords } from '#story/words.ts';
import type { SeasonEntry } from '#views/store/board-view.ts';
import type { Bracket, BracketRound, Tie, TieSide } from '../bracket.ts';
import {
  columnsOf,
  currentMatchOf,
  isOfPlayers,
  movementOf,
  type SeasonStandings,
  type ShownGroup,
  type ShownRow,
  type ShownStandings,
  valueIn,
} from '../standings.ts';
import { document, type Html, html, type Moment } from './html.ts';
import { momentText } from './row.ts';

const CURRENT = html` aria-current="true"`;

/** Interval at which a bracket is read again, seconds: the minutes of its matches change without an event. */
const REFRESH_SECONDS = 2;

/** Renders `/standings`: the tables of a season, its knock-out stages, or the provider's rankings. */
export function standingsPage(standings: SeasonStandings, moment: Moment): string {
  const { seasons, rankings, season, shown, bracket } = standings;
  const generalName = rankings.length > 0 ? 'Rankings' : 'Tables';
  const empty = season === null && rankings.length === 0;
  const name = season === null ? generalName : seasonName(season);
  const kinds = kindsOf(standings);
  const content = html`<h1>${name}</h1>
${seasons.length + Math.min(1, rankings.length) > 1 && seasonsHtml(standings)}
${
  kinds.length > 0 &&
  html`<nav class="tabs row" aria-label="Tables">${kinds.map(({ query, title, isShown }) => html`<a href="/standings?${query}"${isShown && CURRENT}>${title}</a>`)}</nav>`
}
${bracket !== null && bracketHtml(bracket, moment)}${shown.length === 0 && bracket === null && html`<p class="empty">There is no table yet.</p>`}
${shown.map((one) => tableHtml(one, shown.length > 1))}`;
  return document({
    title: name,
    here: 'standings',
    stream: empty ? undefined : `season=${season?.season_id ?? 'none'}`,
    ...(bracket !== null && { refresh: REFRESH_SECONDS }),
    styles: ['tables.css', 'bracket.css'],
    content,
  });
}

function seasonName({ season, competition, season_id }: SeasonEntry): string {
  return season ?? competition ?? `Season ${season_id}`;
}

/** Renders links to the seasons, and to the rankings after them. */
function seasonsHtml({ seasons, rankings, season }: SeasonStandings): Html {
  const [ranking] = rankings;
  return html`<nav class="tabs row" aria-label="Seasons">${seasons.map(
    (one) =>
      html`<a href="/standings?season=${one.season_id}"${one.season_id === season?.season_id && CURRENT}>${seasonName(one)}</a>`,
  )}${
    ranking !== undefined &&
    html`<a href="/standings?table=${ranking.standings_id}"${season === null && CURRENT}>Rankings</a>`
  }</nav>`;
}

type Kind = { readonly query: string; readonly title: string; readonly isShown: boolean };

/** Returns the kinds of table to choose from: each type once, even if several stages have it, and the knock-out stages. */
function kindsOf({ tables, shown, season, hasBracket, bracket }: SeasonStandings): Kind[] {
  const within = season === null ? '' : `season=${season.season_id}&`;
  const types = new Map(tables.toReversed().map((table) => [table.type_id, table]));
  const kinds = [...types.values()]
    .sort((a, b) => a.type_id - b.type_id)
    .map(({ standings_id, type_name: title, type_id }) => ({
      query: `${within}table=${standings_id}`,
      title,
      isShown: type_id === shown[0]?.entry.type_id,
    }));
  const knockOut = { query: `${within}show=knock-out`, title: 'Knock-out', isShown: bracket !== null };
  return hasBracket ? kinds.toSpliced(1, 0, knockOut) : kinds;
}

/** Renders a table. Its heading stands above named groups; a group without a name has it as its caption. */
function tableHtml({ entry, heading, table }: ShownStandings, oneOfSeveral: boolean): Html {
  const { standings_id, type_name } = entry;
  const hasNames = table.groups.some(({ name }) => name !== '');
  const title = oneOfSeveral ? heading : null;
  return html`<div id="table-${standings_id}">${title !== null && hasNames && html`<h2>${title}</h2>`}
<div class="standings">${table.groups.map((group, n) =>
    groupHtml(group, `${standings_id}-${n}`, group.name || (title ?? type_name)),
  )}</div></div>`;
}

type TableGroup = ShownStandings['table']['groups'][number];

function groupHtml(group: TableGroup, key: string, caption: string): Html {
  const columns = columnsOf(group);
  const hasClubs = isOfPlayers(group);
  return html`<div class="standing" id="group-${key}">
<div class="scroll" role="region" tabindex="0" aria-labelledby="caption-${key}"><table>
<caption id="caption-${key}">${caption}</caption>
<thead><tr><th scope="col"><abbr title="Position">#</abbr></th><th scope="col"><span class="visually-hidden">Movement</span></th><th scope="col" class="name">${hasClubs ? 'Player' : 'Team'}</th>${hasClubs && html`<th scope="col" class="name">Team</th>`}${columns.map(
    ({ code, short_name, name }) =>
      html`<th scope="col" data-code="${code}"><abbr title="${name === '' ? code.replaceAll('_', ' ') : name}">${short_name === '' ? code : short_name}</abbr></th>`,
  )}</tr></thead>
<tbody>${group.participants.map((row, n) => rowHtml(row, group, columns, hasClubs, group.participants[n + 1]?.zone_name ?? row.zone_name))}</tbody>
</table></div>
${zonesHtml(group)}${correctionsHtml(group.corrections)}${providerHtml(group)}</div>`;
}

function rowHtml(
  row: ShownRow,
  group: ShownGroup,
  columns: readonly { code: string }[],
  hasClubs: boolean,
  nextZone: string,
): Html {
  const play = currentMatchOf(row);
  const { zone_name } = row;
  const colour = group.zones.find(({ name }) => zone_name !== '' && name === zone_name)?.colour ?? null;
  return html`<tr data-playing="${play === null ? 'no' : 'yes'}" data-zone-end="${zone_name === nextZone ? 'no' : 'yes'}"><td class="rank">${swatch(colour, zone_name)}${row.rank}</td><td class="move">${movementHtml(row)}</td><th scope="row" class="name">${row.name === '' ? '–' : row.name}${
    play !== null &&
    html` <a class="playing" href="/match/${play.eventId}"><span class="visually-hidden">playing now, </span>${play.score}</a>`
  }</th>${hasClubs && html`<td class="name">${row.subparticipant_name}</td>`}${columns.map(
    ({ code }) => html`<td data-code="${code}">${cellHtml(code, valueIn(row, code))}</td>`,
  )}</tr>`;
}

function cellHtml(code: string, value: string): Html | string {
  if (!code.endsWith('form') || !/^[WDL](,[WDL])*$/.test(value)) return value;
  return html`<span class="form">${value.split(',').map((letter) => html`<span class="${letter}">${letter}</span>`)}</span>`;
}

function movementHtml(row: ShownRow): Html | null {
  const moved = movementOf(row);
  if (moved === null) return null;
  if (moved === 0) return html`<span aria-hidden="true">–</span><span class="visually-hidden">same</span>`;
  const up = moved > 0;
  return html`<span class="${up ? 'safe' : 'halted'}"><span aria-hidden="true">${up ? '▲' : '▼'}</span><span class="visually-hidden">${up ? 'up ' : 'down '}</span>${Math.abs(moved)}</span>`;
}

/** Renders a zone's colour, with the name `zone` for screen readers. As SVG, because the content security policy forbids inline styles. */
function swatch(colour: string | null, zone: string | null): Html | null {
  if (colour === null) return null;
  const naming = zone === null ? html`aria-hidden="true"` : html`role="img" aria-label="${zone}"`;
  return html`<svg class="swatch" viewBox="0 0 4 20" ${naming}><rect width="4" height="20" rx="2" fill="${colour}"></rect></svg>`;
}

function zonesHtml({ zones }: ShownGroup): Html | null {
  if (zones.length === 0) return null;
  return html`<ul class="zones row small">${zones.map(({ name, colour }) => html`<li>${swatch(colour, null)}${name}</li>`)}</ul>`;
}

function correctionsHtml(corrections: readonly CorrectionWords[]): Html | null {
  if (corrections.length === 0) return null;
  return html`<ul class="corrections row small">${corrections.map((one) => html`<li>${correctionText(one)}</li>`)}</ul>`;
}

/** Renders the provider's own corrections, which are not in this table, and where its table differs. */
function providerHtml({ provider }: TableGroup): Html | null {
  if (provider === undefined) return null;
  const { corrections, differences } = provider;
  return html`${
    corrections.length > 0 &&
    html`<div class="provider"><p class="small">Corrections in the provider’s table:</p>${correctionsHtml(corrections)}</div>`
  }${
    differences.length > 0 &&
    html`<div class="provider"><p class="small">The provider’s table differs:</p><ul class="corrections row small">${differences.map((one) => html`<li>${differenceText(one)}</li>`)}</ul></div>`
  }`;
}

/** Renders the knock-out rounds side by side, and rounds for other places below them. */
function bracketHtml({ rounds, placements }: Bracket, moment: Moment): Html {
  return html`<div class="bracket">${rounds.map((round, n) => roundHtml(round, moment, rounds[n + 1]))}</div>
${placements.length > 0 && html`<div class="bracket placements">${placements.map((round) => roundHtml(round, moment, undefined))}</div>`}`;
}

/** Renders a round. Lines join it to the next one when two of its ties lead to each tie of that. */
function roundHtml({ key, title, ties }: BracketRound, moment: Moment, next: BracketRound | undefined): Html {
  const isJoined = next !== undefined && next.ties.length > 0 && ties.length === 2 * next.ties.length;
  return html`<section class="round" data-joined="${isJoined ? 'yes' : 'no'}" aria-labelledby="round-${key}"><h2 id="round-${key}">${title}</h2>
${ties.length === 0 ? html`<p class="empty">No match yet.</p>` : html`<ul class="ties">${ties.map((tie) => tieHtml(tie, moment))}</ul>`}</section>`;
}

function tieHtml({ key, sides, legs, isUndecided }: Tie, moment: Moment): Html {
  const current = legs.find(({ status_type }) => status_type !== 'finished') ?? legs.at(-1);
  return html`<li class="slot" id="tie-${key}"><div class="tie">${sides.map(sideHtml)}${
    isUndecided &&
    html`
<p class="small soft">Level. No known rule says who advances.</p>`
  }
<p class="legs row small">${legs.map((leg, n) => legHtml(leg, legs.length > 1 ? n + 1 : null, leg === current, moment))}</p></div></li>`;
}

function sideHtml({ name, goals, kicks, advances }: TieSide): Html {
  return html`<p class="side${advances === true && ' won'}${advances === false && ' soft'}"><span class="team">${name}${advances === true && html`<span class="visually-hidden"> (won)</span>`}</span> <span class="goals">${goals ?? ''}${kicks !== null && html` <span><span class="visually-hidden">on penalties </span>(${kicks})</span>`}</span></p>`;
}

/** Renders the link to a match, with its time or its score. The link of the current leg, else of the last, covers the whole tie. */
function legHtml(match: BoardMatch, leg: number | null, isCurrent: boolean, moment: Moment): Html {
  return html`<a${isCurrent && html` class="whole"`} href="/match/${match.event_id}" data-phase="${match.status_type ?? ''}"><span class="visually-hidden">${matchName(match)}: </span>${
    leg !== null && `Leg ${leg}: ${match.score === null ? '' : `${scoreWords(match.score)}, `}`
  }${momentText(match, moment)}${match.under_review && html` <span class="mark review">Under review</span>`}</a> `;
}
