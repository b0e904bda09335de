import { yesNoOrNull } from '#domain/event.ts';
import { hasResult } from '#domain/message-key.ts';
import { INCIDENT } from '#soccer/soccer.ts';
import { boardMatch } from '#story/board-match.ts';
import { type Course, type CourseStretch, feedPast, matchCourse } from '#story/course.ts';
import { type HistoryEntry, historyOf } from '#story/history.ts';
import { type IncidentStep, type TimelineEntry, timelineOf } from '#story/incidents.ts';
import { type BoardMatch, hasNoScoreYet, nameOf } from '#story/match.ts';
import { delayWords, durationWords, timeText } from '#story/minute.ts';
import {
  agreementWords,
  endingWords,
  guardWords,
  isShootingOut,
  kickOffWords,
  scoreWords,
  statusName,
  unreadWords,
} from '#story/words.ts';
import { isOver } from '#trading/trading.ts';
import type { ReadView } from '../scoped-view.ts';
import { guardHtml, resultDoubts } from './guard.ts';
import { haltForm, resumeForm } from './halts-page.ts';
import { document, factsHtml, type Html, html, type Moment, timeOf } from './html.ts';
import { newsAttributes, whenCell } from './row.ts';

const COVERAGES: Readonly<Record<MatchDetails['coverage'], string>> = {
  complete: 'complete: the score is derived from the incidents',
  partial: 'partial: the beginning is missing',
  none: 'none: no incident was received',
};
const SCORE_SOURCES: Readonly<Record<BoardMatch['source'], string>> = {
  incidents: 'incidents',
  reported: 'the provider',
  none: 'nothing yet',
};
const LATEST = 12;

/** Renders the page of a match. `mayHalt`: with the forms to halt and to resume it. `now`: Unix seconds. */
export function matchPage(details: MatchDetails, mayHalt: boolean, now: number): string {
  const { match, timeline } = details;
  const title = `${nameOf(match.home)} ${hasNoScoreYet(match) ? 'v' : scoreWords(match.score)} ${nameOf(match.away)}`;
  const content = html`${whereHtml(match)}
${matchHead(match, { now, isLive: false })}
${mayHalt && !isOver(match.status_type) && ordersHtml(match)}
${details.course !== null && courseHtml(details.course, now)}
<div class="columns">
<section aria-labelledby="timeline-title" class="timeline-part"><h2 id="timeline-title">Timeline</h2>
${
  timeline.length === 0
    ? html`<p class="empty">No incident received yet.</p>`
    : html`<ol class="timeline" reversed>${timeline.toReversed().map((entry) => entryHtml(entry, details, now))}</ol>`
}</section>
<div class="side">${sourceHtml(details)}${historyHtml(details, now)}</div>
</div>`;
  return document({
    title,
    stream: `event=${match.event_id}`,
    styles: ['timeline.css', 'match.css'],
    content,
  });
}

function whereHtml({ levels, season_id }: BoardMatch): Html {
  const where = [levels.season ?? levels.competition, levels.stage, levels.group].filter(
    (name) => name !== null && name !== '',
  );
  return html`<p class="where small">${where.join(' · ')}${season_id !== null && html` <a href="/standings?season=${season_id}">Tables</a>`}</p>`;
}

/** Renders score and guard of a match, which the stream sends with each change. */
export function matchHead(match: BoardMatch, moment: Moment): Html {
  const { home, away, score, shoot_out, under_review } = match;
  return html`<header id="match-head" class="match-head" ${newsAttributes(match)}>
<h1 id="scoreline" class="scoreline"><span class="side-name home">${nameOf(home)}</span><span class="big-score" data-review="${under_review ? 'yes' : 'no'}">${
    hasNoScoreYet(match)
      ? html`<i class="versus">v</i>`
      : html`<span>${score?.home ?? '?'}</span><i aria-hidden="true">–</i><span>${score?.away ?? '?'}</span>`
  }</span><span class="side-name away">${nameOf(away)}</span></h1>
<p class="state row"><span id="when" class="when">${whenCell(match, moment)}</span>${match.status_type !== 'finished' && html` <span class="status">${statusName(match)}</span>`}${
    shoot_out !== null &&
    html` <span class="mark shoot-out">${isShootingOut(match) ? 'Shoot-out' : 'Penalties'} <b>${scoreWords(shoot_out)}</b></span>`
  }${under_review && html` <span class="mark review">Under review</span>`}</p>
${isOver(match.status_type) ? resultHtml(match) : guardHtml(match, moment)}
</header>`;
}

/** Renders the forms that resume what halts a match by hand, else the one that halts it. */
function ordersHtml({ event_id, halts }: BoardMatch): Html {
  const scopes = halts.standing.map(({ scope }) => scope);
  const own = `match:${event_id}`;
  return html`<section class="orders" aria-label="Orders by hand">${scopes.map(resumeForm)}${!scopes.includes(own) && haltForm(own)}</section>`;
}

/** Renders the result of a match that is over, in the place of the guard. */
function resultHtml(match: BoardMatch): Html {
  const { status_id, status_type } = match;
  const isFinal = hasResult(status_id, status_type);
  const ending = isFinal ? endingWords(status_id) : null;
  const doubts = resultDoubts(match);
  return html`<section class="guard outcome" data-guard="${doubts.length > 0 ? 'check' : 'not_in_play'}" aria-labelledby="result-title">
<h2 id="result-title" class="visually-hidden">Result</h2>
<p class="verdict">${isFinal ? 'Final' : statusName(match)}${ending !== null && html`, ${ending}`}</p>
${doubts.length > 0 && html`<p class="because">Do not settle yet: ${doubts.join('; ')}.</p>`}
</section>`;
}

function sourceHtml({ match, coverage, missing, unread, unread_at, verified_result }: MatchDetails): Html {
  const { score, firm, derived, reported, shoot_out, half_time } = match;
  return html`<section class="panel" aria-labelledby="facts-title"><h2 id="facts-title">Score and source</h2>
${factsHtml([
  ['Current score', scoreWords(score)],
  ['Firm score', scoreWords(firm)],
  ['Score of the goals', scoreWords(derived)],
  ['Reported by the provider', reported === null ? 'not reported' : scoreWords(reported)],
  ['Agreement', agreementWords(match)],
  ...match.periods.map(({ name, home, away }) => [name, `${home ?? '?'}–${away ?? '?'}`] as const),
  ['Half-time', half_time && scoreWords(half_time)],
  ['Shoot-out', shoot_out === null ? 'none' : scoreWords(shoot_out)],
  ['Score from', SCORE_SOURCES[match.source]],
  ['Timeline', COVERAGES[coverage]],
  ['Not on the latest list', missing.join(', ') || null],
  ...unreadWords({ unread, unread_at }).map((words) => ['Not read', words] as const),
  ['Last message came after', delayWords(match.received_at - match.ut * 1000)],
  ['Kick-off', kickOffWords(match.start_date)],
  ['Verified result', yesNoOrNull(verified_result) ?? 'not reported'],
  ['Version', String(match.version)],
])}</section>`;
}

function historyHtml({ history, match }: MatchDetails, now: number): Html {
  const newestFirst = history.toReversed();
  const older = newestFirst.slice(LATEST);
  return html`<section class="panel" aria-labelledby="history-title"><h2 id="history-title">${isOver(match.status_type) ? 'Status' : 'Guard and status'} history</h2>
${
  newestFirst.length === 0
    ? html`<p class="empty">No change yet.</p>`
    : html`<ol class="history small" reversed>${newestFirst.slice(0, LATEST).map((entry) => historyRow(entry, now))}</ol>`
}${older.length > 0 && html`<details class="small"><summary>${older.length} earlier</summary><ol class="history small" reversed>${older.map((entry) => historyRow(entry, now))}</ol></details>`}
<p class="small">Times are <span class="zone">UTC</span>: when Touchline received it, with the provider’s time where that is another second.</p></section>`;
}

function historyRow({ version, kind, what, at, ut, late, incident_id }: HistoryEntry, now: number): Html {
  const words = incident_id === null ? html`${what}` : html`<a href="#${anchorOf(incident_id)}">${what}</a>`;
  return html`<li id="change-${version ?? at}-${kind}" class="${kind}">${timeOf(Math.floor(at / 1000), now)} <span><span class="what">${words}</span>${writtenHtml({ at, ut, late }, now)}</span></li>`;
}

/** Renders an incident with its story and its own address. `now`: Unix seconds. */
function entryHtml(entry: TimelineEntry, details: MatchDetails, now: number): Html {
  const { id, kind, note, story } = entry;
  const { match } = details;
  const of = entry.participant_id;
  const side =
    of === null ? undefined : (['home', 'away'] as const).find((one) => details[`${one}_id`] === of);
  const team = side === undefined ? entry.participant_name : nameOf(match[side]);
  const what = html`<b>${entry.name}</b>${entry.added !== null && html` +${entry.added} min`}`;
  return html`<li id="${anchorOf(id)}" class="incident ${kind}" data-side="${side ?? 'none'}" data-void="${entry.void === null ? 'no' : 'yes'}">
<a class="at" href="#${anchorOf(id)}">${minuteHtml(entry)}</a>
<span class="sign ${entry.card ?? kind}" aria-hidden="true"></span>
<div class="details">
<p class="what">${entry.void === null ? what : html`<s>${what}</s>`}${entry.running_score !== null && html` <b class="running">${entry.running_score}</b>`}${people(entry)}${team !== null && html` <span class="small">${team}</span>`}</p>
${entry.void !== null && html`<p class="why halted">${entry.void}${entry.void_by !== null && html` <a href="#${anchorOf(entry.void_by)}">See why</a>`}</p>`}${note !== null && entry.void === null && html`<p class="note review">${note}</p>`}
${hasStory(entry) && html`<ol class="story small">${story.map((step) => stepHtml(step, now))}</ol>`}</div>
</li>`;
}

function minuteHtml({ minute, in_shoot_out }: TimelineEntry): Html | string {
  if (in_shoot_out) return 'pens';
  if (minute === null) return html`<span class="visually-hidden">no minute</span>`;
  return html`${minute}<span aria-hidden="true">′</span>`;
}

function anchorOf(id: string): string {
  return `incident-${id}`;
}

function people({ player, assistant, kind, replaces }: TimelineEntry): Html | null {
  if (player === null) return null;
  return html` ${player}${replaces !== null && ` for ${replaces}`}${assistant !== null && kind === 'goal' && html` <span class="small">assist ${assistant}</span>`}`;
}

/** Whether the story of an incident is shown: always for goals and their cancellations, else when it has several steps. */
function hasStory({ kind, story }: TimelineEntry): boolean {
  return story.length > 1 || (story.length === 1 && (kind === 'goal' || kind === 'goal_cancelled'));
}

function stepHtml({ ut, received_at, late, what, score, firm }: IncidentStep, now: number): Html {
  return html`<li>${timeOf(Math.floor(received_at / 1000), now)} <span class="step">${what}</span>${score !== null && html` <span class="effect">${score}</span>`}${
    firm !== null && firm !== score && html` <span class="effect firm">firm ${firm}</span>`
  }${writtenHtml({ at: received_at, ut, late }, now)}</li>`;
}

/** Renders when the provider wrote what was received at another second, and how late that was. */
function writtenHtml({ at, ut, late }: Pick<HistoryEntry, 'at' | 'ut' | 'late'>, now: number): Html | false {
  if (ut === null || ut === Math.floor(at / 1000)) return false;
  return html` <span class="written">written ${timeOf(ut, now)}</span>${late !== null && html` <span class="late">${durationWords(late)} late</span>`}`;
}

/** Minimum distance of two labels, as a share of the width; closer labels would overlap. */
const MIN_DISTANCE = 0.16;

const KEY = { safe: 'safe', halted: 'halted', unfed: 'feed not believed' } as const;

/** Renders what could be traded over time as a band, and the scores above it, each from when it was known. `now`: Unix seconds. */
function courseHtml({ from, to, stretches, scores }: Course, now: number): Html {
  const shareOf = (at: number): number => (at - from) / Math.max(1, to - from);
  const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
  const lasted = (ms: number): string => durationWords(Math.round(ms / 1000));
  const total = (which: (stretch: CourseStretch) => boolean): string =>
    lasted(stretches.filter(which).reduce((sum, one) => sum + one.to - one.from, 0));
  const path = scores.map(({ score }) => score).join(', ');
  const words = `Trading was halted for ${total(({ permission }) => permission === 'halted')} of ${lasted(to - from)}; the feed was not believed for ${total(({ believed }) => !believed)}. The score: ${path || 'unknown'}.`;
  const shown = new Set(stretches.map(kindOf));
  const keys = Object.entries(KEY).filter(([kind]) => shown.has(kind));
  // Of two close scores the later one has a label.
  const labelled = scores.filter(
    ({ at }, n) => shareOf(scores[n + 1]?.at ?? Number.POSITIVE_INFINITY) - shareOf(at) > MIN_DISTANCE,
  );
  const anchor = (share: number): string =>
    share < MIN_DISTANCE ? 'start' : share > 1 - MIN_DISTANCE ? 'end' : 'middle';
  return html`<figure class="course"><svg width="100%" height="48" role="img" aria-label="${words}">
${stretches.map((one) => html`<rect class="${kindOf(one)}" x="${percent(shareOf(one.from))}" width="${percent(shareOf(one.to) - shareOf(one.from))}" y="26" height="14"><title>${titleOf(one)}</title></rect>`)}
${scores.map(({ at }) => html`<line x1="${percent(shareOf(at))}" x2="${percent(shareOf(at))}" y1="20" y2="46"/>`)}
${labelled.map(({ at, score }) => html`<text x="${percent(shareOf(at))}" y="15" text-anchor="${anchor(shareOf(at))}">${score}</text>`)}
</svg><figcaption class="row small"><span>${timeOf(from / 1000, now)} <span class="zone">UTC</span></span> <span class="key">${keys.map(([kind, name]) => html`<span class="${kind}">${name}</span> `)}</span> <span>${timeOf(to / 1000, now)} <span class="zone">UTC</span></span></figcaption></figure>`;
}

function kindOf({ permission, believed }: CourseStretch): string {
  if (permission === 'not_in_play') return 'out-of-play';
  return believed ? permission : 'unfed';
}

/** Returns e.g. `20:31:07 to 20:32:04: halted, feed stale`. */
function titleOf({ from, to, permission, reasons }: CourseStretch): string {
  const what = permission === 'not_in_play' ? 'not in play' : permission;
  return `${timeText(from / 1000)} to ${timeText(to / 1000)}: ${[what, guardWords(reasons)].filter(Boolean).join(', ')}`;
}

/** The content of the page of a match, and the answer of `/board/matches/{id}`. */
export type MatchDetails = NonNullable<ReturnType<typeof matchDetails>>;

/** Returns the details of a match; null when the event is unknown or deleted. `now`: Unix seconds. */
export function matchDetails(view: ReadView, eventId: number, now: number) {
  const state = view.matches.state(eventId);
  if (state === null) return null;
  const story = view.incidentLog.story(eventId);
  const past = {
    feed: feedPast(view.health.past(eventId), now * 1000),
    halts: view.halts.records(state),
  };
  const course = matchCourse(story, past, now * 1000);
  return {
    match: boardMatch(state, view, now),
    home_id: state.home?.id ?? null,
    away_id: state.away?.id ?? null,
    coverage: state.coverage,
    /** Ids of incidents that the provider's latest list omits. */
    missing: state.missing,
    unread: state.unread,
    /** Unix seconds of the latest message that could not be read at all; null: none. */
    unread_at: state.unread_at,
    /** The provider's flag as JSON text; null: not reported. */
    verified_result: state.verified_result,
    timeline: pairSubstitutions(timelineOf(state, view.incidentLog.shown(eventId), story)),
    history: historyOf(story, past, course),
    course,
  };
}

/** Shows a substitution (spec, 450 and 452) as its player in and the one out: of one team and time, in the order of ids. */
function pairSubstitutions(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const leaving = new Map<TimelineEntry, TimelineEntry>();
  const known = timeline.filter((entry) => entry.void === null && entry.time !== null);
  for (const members of Map.groupBy(known, (entry) => `${entry.participant_id} ${entry.time}`).values()) {
    const [comes, leaves] = [INCIDENT.substitutionIn, INCIDENT.substitutionOut].map((type) =>
      members.filter(({ incident_id }) => incident_id === type),
    ) as [TimelineEntry[], TimelineEntry[]];
    for (const [n, entry] of comes.entries()) if (leaves[n] !== undefined) leaving.set(entry, leaves[n]);
  }
  const paired = new Set(leaving.values());
  return timeline.flatMap((entry) => {
    if (paired.has(entry)) return [];
    const left = leaving.get(entry);
    if (left === undefined) return [entry];
    return [{ ...entry, name: 'Substitution', replaces: left.player ?? 'unknown player' }];
  });
}
