/** The choice of alerts on the board. */
import { type Html, html } from './html.ts';

const WAYS = [
  ['sound', 'Sound'],
  ['title', 'Title of the tab'],
  ['desktop', 'Desktop notification'],
] as const;

const KINDS = [
  ['goal', 'Goal'],
  ['cancelled', 'Goal cancelled'],
  ['halted', 'Halt'],
  ['feed_down', 'Feed down'],
] as const;

/** Renders the choice. It works only with the script, which stores it in the browser. There is no alert until a way is chosen. */
export function alertsHtml(): Html {
  return html`<details id="alerts" class="alerts"><summary>Alerts <span id="alerts-state"></span></summary>
<form><fieldset class="row"><legend>How</legend>${WAYS.map(([value, label]) => box('way', value, label, false))}</fieldset>
<fieldset class="row"><legend>About</legend>${KINDS.map(([value, label]) => box('kind', value, label, true))}</fieldset>
<p class="small">For the matches that are shown. Stored in this browser.</p></form></details>`;
}

function box(name: string, value: string, label: string, isChosen: boolean): Html {
  return html`<label><input type="checkbox" name="${name}" value="${value}"${isChosen && html` checked`}> ${label}</label>`;
}
