import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { TradingHalt } from '#records/types.ts';
import { boardMatch } from '#story/board-match.ts';
import { feedPast, type Halt, haltsOf, matchCourse, reasonTotals } from '#story/course.ts';
import { clockWords, orderWords, scopeWords } from '#story/halts.ts';
import { type BoardMatch, matchName, phaseOf } from '#story/match.ts';
import { durationWords } from '#story/minute.ts';
import { guardWords } from '#story/words.ts';
import { MAX_REASON } from '#topics/halt-orders.ts';
import { isOver } from '#trading/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { boardStates } from '../board-states.ts';
import type { ReadView } from '../scoped-view.ts';
import { type Html, html, type Moment, NO_WORD, whileConnected } from './html.ts';
import { document, timeOf } from './layout.ts';

/** Interval at which the page is read again, seconds: halts begin and end without an event of its own. */
const REFRESH_SECONDS = 5;

/** Renders the halts of the last 24 hours at `/halts`. */
export function haltsPage(
  { halts, omitted, totals, live, haltedNow }: Halts,
  byHand: { readonly standing: readonly TradingHalt[]; readonly choices: readonly HaltChoice[] | null },
  moment: Moment,
): string {
  const { now } = moment;
  const content = html`<h1>Halts of the last 24 hours</h1>
<p class="lead">${whileConnected(moment, live === 0 ? 'No match is live.' : `${live} live ${live === 1 ? 'match' : 'matches'}, ${haltedNow} of them halted now.`, NO_WORD)}</p>
${byHandHtml(byHand.standing, byHand.choices, now)}
${halts.length === 0 ? html`<p class="empty">No match was halted.</p>` : html`${totalsHtml(totals)}${listHtml(halts, omitted, moment)}`}`;
  return document({
    title: 'Halts',
    here: 'halts',
    stream: 'feeds=yes',
    refresh: REFRESH_SECONDS,
    styles: ['halts.css'],
    content,
  });
}

function totalsHtml(totals: Halts['totals']): Html {
  return html`<section aria-labelledby="reasons-title"><h2 id="reasons-title">By reason</h2>
<div class="scroll"><table class="totals">
<thead><tr><th scope="col">Reason</th><th scope="col" class="number">Halts</th><th scope="col" class="number">Together</th></tr></thead>
<tbody>${totals.map(
    ({ reason, halts, duration }) =>
      html`<tr><th scope="row">${guardWords([reason])}</th><td class="number">${halts}</td><td class="number">${lasted(duration)}</td></tr>`,
  )}</tbody></table></div>
<p class="small">A halt with several reasons counts for each of them.</p></section>`;
}

function listHtml(halts: readonly MatchHalt[], omitted: number, moment: Moment): Html {
  return html`<section aria-labelledby="halts-title"><h2 id="halts-title">Each halt</h2>
<ol class="halts">${halts.map((halt) => haltHtml(halt, moment))}</ol>
${omitted > 0 && html`<p class="small">${omitted} earlier ones are not shown; the page of a match has all of its own.</p>`}
<p class="small">Times are <span class="zone">UTC</span>: when Touchline knew it. A match in play is halted by its guard, by its feed, by an unknown score, or by hand.</p></section>`;
}

function haltHtml({ from, to, reasons, score, match }: MatchHalt, moment: Moment): Html {
  const { now } = moment;
  const { event_id } = match;
  return html`<li id="halt-${event_id}-${from}" data-guard="${to === null ? 'halted' : 'not_in_play'}">
<span class="from">${timeOf(Math.floor(from / 1000), now)}</span>
<span class="lasted">${to === null ? html`<b>${whileConnected(moment, `for ${lasted(now * 1000 - from)}, still halted`, NO_WORD)}</b>` : `for ${lasted(to - from)}`}</span>
<span class="of"><a href="/match/${event_id}">${matchName(match)}</a>${score !== null && html` <span class="soft">at ${score}</span>`}</span>
<span class="why">${guardWords(reasons)}</span></li>`;
}

/** Returns a duration in words. `duration`: milliseconds. */
function lasted(duration: number): string {
  return durationWords(Math.max(0, Math.round(duration / 1000)));
}

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
function byHandHtml(
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

/** The time that the page of the halts covers, milliseconds. */
const COVERED_MS = 24 * 3_600_000;
const MAX_HALTS = 300;
const MAX_KNOWN = 2_000;
/** How long the halts of a match in play are used again, seconds, for many readers at once. */
const REMEMBERED_SECONDS = 2;

type MatchHalt = Halt & { readonly match: BoardMatch };

/** The content of the page of the halts. */
export type Halts = Awaited<ReturnType<HaltReader['read']>>;

/** The halts of a match as of a version, the orders by hand, and a time, Unix seconds. */
type Known = {
  readonly version: number;
  readonly orders: number;
  readonly at: number;
  readonly halts: readonly Halt[];
};

/** Returns the halts of the last 24 hours of all matches on the board. Remembers those of matches that are over. */
export class HaltReader {
  /** By event id. */
  readonly #known = new LRUCache<number, Known>({ max: MAX_KNOWN });
  readonly #size: number;

  /** `size`: maximum number of matches on the board. */
  constructor(size: number) {
    this.#size = size;
  }

  /** `now`: Unix seconds. Other requests are answered between two stories: those of an evening take a second together. */
  async read(view: ReadView, now: number) {
    const since = now * 1000 - COVERED_MS;
    const states = boardStates(view, this.#size, now).filter(
      ({ status_type, cause }) => status_type !== 'scheduled' && cause.received_at > since,
    );
    const found: MatchHalt[] = [];
    for (const state of states) {
      const all = this.#knownHalts(state, view, now) ?? (await this.#readHalts(state, view, now));
      const halts = all.filter(({ to }) => to === null || to > since);
      if (halts.length === 0) continue;
      const match = boardMatch(state, view, now);
      for (const halt of halts) found.push({ ...halt, match });
    }
    const open = ({ to }: Halt): number => (to === null ? 0 : 1);
    const ordered = found.sort(
      (a, b) => open(a) - open(b) || b.from - a.from || a.match.event_id - b.match.event_id,
    );
    return {
      /** The newest first, those that go on before all others. */
      halts: ordered.slice(0, MAX_HALTS),
      omitted: Math.max(0, ordered.length - MAX_HALTS),
      totals: reasonTotals(ordered, now * 1000),
      /** Number of live matches, and of those that are halted now. */
      live: states.filter((state) => phaseOf(state, now) === 'live').length,
      haltedNow: ordered.filter(({ to }) => to === null).length,
    };
  }

  #knownHalts(state: ShownState, view: ReadView, now: number): readonly Halt[] | null {
    const { event_id, version, status_type } = state;
    const known = this.#known.get(event_id);
    if (known === undefined || known.orders !== orderCount(state, view)) return null;
    const isCurrent = isOver(status_type) ? known.version === version : now - known.at < REMEMBERED_SECONDS;
    return isCurrent ? known.halts : null;
  }

  async #readHalts(state: ShownState, view: ReadView, now: number): Promise<readonly Halt[]> {
    const { event_id, version, status_type } = state;
    await nextTurn();
    const past = {
      feed: feedPast(view.health.past(event_id), now * 1000),
      halts: view.halts.records(state),
    };
    const course = matchCourse(view.incidentLog.story(event_id), past, now * 1000);
    const halts = course === null ? [] : haltsOf(course, isOver(status_type));
    this.#known.set(event_id, { version, orders: orderCount(state, view), at: now, halts });
    return halts;
  }
}

function orderCount(state: ShownState, view: ReadView): number {
  return view.halts.records(state).reduce((sum, { version }) => sum + version, 0);
}
