import type { BoardMatch } from '#story/match.ts';
import { arrange, type BoardQuery, cardsOrRows } from '../shared/arrange.ts';
import { boardHtml, filtersHtml, haltedWords } from '../shared/board.ts';
import { type BoardSource, feedsHtml } from '../shared/feed.ts';
import { type Html, html } from '../shared/html.ts';
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
<div class="bar row small"><p id="feeds" class="row" role="status">${feedsHtml(sources, 'awaited')}</p><b id="halted">${haltedWords(arrangement, 'awaited')}</b>
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

const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Kick-offs stay in UTC, as the provider writes them. */
const ZONES = [
  ['utc', 'UTC'],
  ['local', 'Of this browser'],
] as const;

/** The keys of the board, with what each does. */
const KEYS = [
  ['/', 'search for a team'],
  ['a', 'all matches'],
  ['l', 'live matches'],
  ['u', 'upcoming matches'],
  ['s', 'favourites (★)'],
  ['?', 'this list'],
] as const;

/** Renders the choice of how the pages look, and of keys. It works only with the script, which stores it in the browser. */
function appearanceHtml(): Html {
  return html`<details id="view" class="alerts"><summary>View<span class="with-keys"> and keys</span></summary>
<form><fieldset class="row"><legend>Theme</legend>${THEMES.map(([value, label]) => choice('radio', 'theme', value, label, value === 'system'))}</fieldset>
<fieldset class="row"><legend>Times</legend>${ZONES.map(([value, label]) => choice('radio', 'times', value, label, value === 'utc'))}</fieldset>
<fieldset class="row"><legend>Rows</legend>${choice('checkbox', 'dense', 'yes', 'Dense', false)}</fieldset>
<fieldset class="row"><legend>Keys</legend>${choice('checkbox', 'keys', 'yes', 'On', true)}
${KEYS.map(([key, what]) => html`<span><kbd>${key}</kbd> ${what}</span>`)}</fieldset>
<p class="small">Stored in this browser.</p></form></details>`;
}

const ALERT_WAYS = [
  ['sound', 'Sound'],
  ['title', 'Title of the tab'],
  ['desktop', 'Desktop notification'],
] as const;

const ALERT_KINDS = [
  ['goal', 'Goal'],
  ['cancelled', 'Goal cancelled'],
  ['red_card', 'Red card'],
  ['halted', 'Halt'],
  ['safe', 'Safe again'],
  ['feed_down', 'Feed down'],
] as const;

/** Renders the choice of alerts. It works only with the script, which stores it in the browser. There is no alert until a way is chosen. */
function alertsHtml(): Html {
  return html`<details id="alerts" class="alerts"><summary>Alerts <span id="alerts-state"></span></summary>
<form><fieldset class="row"><legend>How</legend>${ALERT_WAYS.map(([value, label]) => choice('checkbox', 'way', value, label, false))}</fieldset>
<fieldset class="row"><legend>About</legend>${ALERT_KINDS.map(([value, label]) => choice('checkbox', 'kind', value, label, true))}</fieldset>
<p class="small">For the matches that are shown. Stored in this browser.</p></form></details>`;
}

function choice(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  label: string,
  isChosen: boolean,
): Html {
  return html`<label><input type="${type}" name="${name}" value="${value}"${isChosen && html` checked`}> ${label}</label>`;
}
