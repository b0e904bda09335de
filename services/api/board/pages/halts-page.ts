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
import {
  document,
  type Html,
  html,
  type Moment,
  NO_WORD,
  optionsHtml,
  timeOf,
  whileConnected,
} from './html.ts';

/** Interval at which the page is read again, seconds: halts begin and end without an event of its own. */
const REFRESH_SECONDS = 5;

/** Renders the halts of the last 24 hours at `/halts`. */
export function haltsPage(
  { halts, omitted, totals, live, haltedNow }: Halts,
  byHand: ByHand,
  moment: Moment,
): string {
  const { now } = moment;
  const content = html`<h1>Halts of the last 24 hours</h1>
<p class="lead">${whileConnected(moment, live === 0 ? 'No match is live.' : `${live} live ${live === 1 ? 'match' : 'matches'}, ${haltedNow} of them halted now.`, NO_WORD)}</p>
${byHandHtml(byHand, now)}
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

export type HaltChoice = readonly [scope: string, words: string];

/** Renders the form that halts a match, or one of these scopes. */
export function haltForm(what: string | readonly HaltChoice[]): Html {
  const scope =
    typeof what === 'string'
      ? html`<input type="hidden" name="scope" value="${what}">`
      : html`<label class="field">Halt<select name="scope">${optionsHtml(what, null)}</select></label>`;
  const until = MINUTES.map((minutes) => [minutes, `${minutes} min`] as const);
  return orderForm(
    'halt',
    'halt-form',
    scope,
    html`<label class="field">Until<select name="minutes">${optionsHtml([['', 'resumed'], ...until], null)}</select></label>
<button>Halt by hand</button>`,
  );
}

export function resumeForm(scope: string): Html {
  const hidden = html`<input type="hidden" name="scope" value="${scope}">`;
  return orderForm('resume', `resume-${scope}`, hidden, html`<button>Resume ${scopeWords(scope)}</button>`);
}

function orderForm(action: 'halt' | 'resume', id: string, scope: Html, end: Html): Html {
  return html`<form class="by-hand row small" id="${id}" method="post" action="/halts">
${scope}<input type="hidden" name="action" value="${action}">
<label class="field reason">Reason<input name="reason" maxlength="${MAX_REASON}" required autocomplete="off"></label>
${end}</form>`;
}

/** The standing halts by hand, and what a session may halt; null for one that may give no orders. */
type ByHand = { readonly standing: readonly TradingHalt[]; readonly choices: readonly HaltChoice[] | null };

function byHandHtml({ standing, choices }: ByHand, now: number): Html | false {
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

export type Halts = Awaited<ReturnType<ReturnType<typeof haltReader>>>;

/** Returns what reads the halts of the last 24 hours of all matches on the board. `size`: maximum number of these matches. */
export function haltReader(size: number) {
  /** By event id, version and orders of a match, and of one in play by time. */
  const known = new LRUCache<string, readonly Halt[]>({ max: MAX_KNOWN });
  const haltsOfMatch = async (state: ShownState, view: ReadView, now: number): Promise<readonly Halt[]> => {
    const { event_id, version, status_type } = state;
    const isEnded = isOver(status_type);
    const orders = view.halts.records(state);
    const given = orders.reduce((sum, record) => sum + record.version, 0);
    const key = [event_id, version, given, isEnded ? '' : Math.floor(now / REMEMBERED_SECONDS)].join('/');
    const found = known.get(key);
    if (found !== undefined) return found;
    // Other requests are answered between two stories: those of an evening take a second together.
    await nextTurn();
    const past = { feed: feedPast(view.health.past(event_id), now * 1000), halts: orders };
    const course = matchCourse(view.incidentLog.story(event_id), past, now * 1000);
    const halts = course === null ? [] : haltsOf(course, isEnded);
    known.set(key, halts);
    return halts;
  };
  /** `now`: Unix seconds. */
  return async (view: ReadView, now: number) => {
    const since = now * 1000 - COVERED_MS;
    const states = boardStates(view, size, now).filter(
      ({ status_type, cause }) => status_type !== 'scheduled' && cause.received_at > since,
    );
    const found: MatchHalt[] = [];
    for (const state of states) {
      const halts = (await haltsOfMatch(state, view, now)).filter(({ to }) => to === null || to > since);
      const match = halts.length === 0 ? null : boardMatch(state, view, now);
      if (match !== null) found.push(...halts.map((halt) => ({ ...halt, match })));
    }
    const ended = ({ to }: Halt): number => Number(to !== null);
    found.sort((a, b) => ended(a) - ended(b) || b.from - a.from || a.match.event_id - b.match.event_id);
    return {
      /** The newest first, those that go on before all others. */
      halts: found.slice(0, MAX_HALTS),
      omitted: Math.max(0, found.length - MAX_HALTS),
      totals: reasonTotals(found, now * 1000),
      /** Number of live matches, and of those that are halted now. */
      live: states.filter((state) => phaseOf(state, now) === 'live').length,
      haltedNow: found.filter(({ to }) => to === null).length,
    };
  };
}
