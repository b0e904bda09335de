/** The choice of how the pages look, and of keys, on the board. */
import { type Html, html } from './html.ts';

const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Kick-offs stay in the provider's local time, which has no zone. */
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

/** Renders the choice. It works only with the script, which stores it in the browser. */
export function appearanceHtml(): Html {
  return html`<details id="view" class="alerts"><summary>View<span class="with-keys"> and keys</span></summary>
<form><fieldset class="row"><legend>Theme</legend>${THEMES.map(
    ([value, label]) =>
      html`<label><input type="radio" name="theme" value="${value}"${value === 'system' && html` checked`}> ${label}</label>`,
  )}</fieldset>
<fieldset class="row"><legend>Times</legend>${ZONES.map(
    ([value, label]) =>
      html`<label><input type="radio" name="times" value="${value}"${value === 'utc' && html` checked`}> ${label}</label>`,
  )}</fieldset>
<fieldset class="row"><legend>Rows</legend><label><input type="checkbox" name="dense" value="yes"> Dense</label></fieldset>
<fieldset class="row"><legend>Keys</legend><label><input type="checkbox" name="keys" value="yes" checked> On</label>
${KEYS.map(([key, what]) => html`<span><kbd>${key}</kbd> ${what}</span>`)}</fieldset>
<p class="small">Stored in this browser.</p></form></details>`;
}
