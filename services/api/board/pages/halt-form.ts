/** Renders what is halted by hand, and the forms of orders for a session that may give them. */
import type { TradingHalt } from '#records/types.ts';
import { clockWords, orderWords, scopeWords } from '#story/hand-halts.ts';
import { MAX_REASON } from '#topics/halt-orders.ts';
import { type Html, html } from './html.ts';
import { timeOf } from './layout.ts';

/** Times after which a halt may end by itself, minutes. */
const MINUTES = [5, 10, 30, 120];

/** A scope with the words of its choice. */
export type HaltChoice = readonly [scope: string, words: string];

/** Renders the form that halts a match, or one of these scopes. */
export function haltForm(what: string | readonly HaltChoice[]): Html {
  return html`<form class="by-hand row small" id="halt-form" method="post" action="/halts">
${
  typeof what === 'string'
    ? html`<input type="hidden" name="scope" value="${what}">`
    : html`<label class="field">Halt<select name="scope">${what.map(([scope, words]) => html`<option value="${scope}">${words}</option>`)}</select></label>`
}
<input type="hidden" name="action" value="halt">
<label class="field reason">Reason<input name="reason" maxlength="${MAX_REASON}" required autocomplete="off"></label>
<label class="field">Until<select name="minutes"><option value="">resumed</option>${MINUTES.map((minutes) => html`<option value="${minutes}">${minutes} min</option>`)}</select></label>
<button>Halt by hand</button></form>`;
}

export function resumeForm(scope: string): Html {
  return html`<form class="by-hand row small" id="resume-${scope}" method="post" action="/halts">
<input type="hidden" name="scope" value="${scope}"><input type="hidden" name="action" value="resume">
<label class="field reason">Reason<input name="reason" maxlength="${MAX_REASON}" required autocomplete="off"></label>
<button>Resume ${scopeWords(scope)}</button></form>`;
}

/** Renders the standing halts by hand at `/halts`. `choices`: null for a session that may give no orders. `now`: Unix seconds. */
export function byHandHtml(
  standing: readonly TradingHalt[],
  choices: readonly HaltChoice[] | null,
  now: number,
): Html | false {
  const mayHalt = choices !== null && choices.length > 0;
  if (standing.length === 0 && !mayHalt) return false;
  return html`<section aria-labelledby="by-hand-title"><h2 id="by-hand-title">By hand</h2>
${standing.length > 0 && html`<ul class="halts standing">${standing.map((halt) => standingHtml(halt, choices !== null, now))}</ul>`}
${mayHalt && haltForm(choices)}</section>`;
}

function standingHtml({ scope, until, orders }: TradingHalt, mayResume: boolean, now: number): Html {
  const last = orders.at(-1);
  return html`<li id="hand-${scope}" data-guard="halted">
<span class="from">${last !== undefined && timeOf(Math.floor(last.order.at / 1000), now)}</span>
<span class="lasted">${until === null ? 'until resumed' : `until ${clockWords(until)}`}</span>
<span class="of">${scope.startsWith('match:') ? html`<a href="/match/${scope.slice(6)}">${scopeWords(scope)}</a>` : scopeWords(scope)}</span>
<span class="why">${last !== undefined && orderWords({ ...last, until: null })}</span>${mayResume && resumeForm(scope)}</li>`;
}
