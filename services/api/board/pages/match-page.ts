import { hasResult } from '#domain/result.ts';
import type { HistoryEntry } from '#story/history.ts';
import { type BoardMatch, hasNoScoreYet, nameOf } from '#story/match.ts';
import { delayWords } from '#story/minute.ts';
import {
  agreementWords,
  endingWords,
  isShootingOut,
  kickOffWords,
  scoreWords,
  statusName,
  unreadWords,
  verifiedWords,
} from '#story/words.ts';
import { isOver } from '#trading/trading.ts';
import { delayOf } from '../feeds.ts';
import type { MatchDetails } from '../match-details.ts';
import { courseHtml } from './course.ts';
import { guardHtml, resultDoubts } from './guard.ts';
import { haltForm, resumeForm } from './halt-form.ts';
import { type Html, html } from './html.ts';
import { document, factsHtml, timeOf } from './layout.ts';
import type { Moment } from './moment.ts';
import { newsAttributes, whenCell } from './row.ts';
import { anchorOf, timelineHtml, writtenHtml } from './timeline.ts';

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
  const { match } = details;
  const title = `${nameOf(match.home)} ${hasNoScoreYet(match) ? 'v' : scoreWords(match.score)} ${nameOf(match.away)}`;
  const content = html`${whereHtml(match)}
${matchHead(match, { now, isLive: false })}
${mayHalt && !isOver(match.status_type) && ordersHtml(match)}
${details.course !== null && courseHtml(details.course, now)}
<div class="columns">
<section aria-labelledby="timeline-title" class="timeline-part"><h2 id="timeline-title">Timeline</h2>
${timelineHtml(details, now)}</section>
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
  ...(half_time === null ? [] : [['Half-time', scoreWords(half_time)] as const]),
  ['Shoot-out', shoot_out === null ? 'none' : scoreWords(shoot_out)],
  ['Score from', SCORE_SOURCES[match.source]],
  ['Timeline', COVERAGES[coverage]],
  ...(missing.length === 0 ? [] : [['Not on the latest list', missing.join(', ')] as const]),
  ...unreadWords({ unread, unread_at }).map((words) => ['Not read', words] as const),
  ['Last message came after', delayWords(delayOf(match))],
  ['Kick-off', kickOffWords(match.start_date)],
  ['Verified result', verifiedWords(verified_result)],
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
