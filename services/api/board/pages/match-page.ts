import type { Assets } from '../assets.ts';
import type { HistoryEntry } from '../history.ts';
import type { MatchDetails } from '../match-details.ts';
import { type Html, html } from '../shown/html.ts';
import { type BoardMatch, nameOf } from '../shown/match.ts';
import { whenCell } from '../shown/row.ts';
import {
  agreementWords,
  guardWords,
  isShootOut,
  scoreWords,
  statusName,
  verifiedWords,
} from '../shown/words.ts';
import { document, timeOf } from './layout.ts';
import { timelineHtml } from './timeline.ts';

const COVERAGES: Readonly<Record<MatchDetails['coverage'], string>> = {
  complete: 'complete: the score is derived from the incidents',
  partial: 'partial: the start of the timeline is not known',
  none: 'none: no incident is known',
};
/** So much of the history is open at once. */
const LATEST = 12;

/** The page of a match, as it stands at `now` (Unix seconds). */
export function matchPage(details: MatchDetails, now: number, assets: Assets): string {
  const { match } = details;
  const title = `${nameOf(match.home)} ${scoreWords(match.score)} ${nameOf(match.away)}`;
  const content = html`${headHtml(match, now)}
<div class="columns">
<section aria-labelledby="timeline-title" class="timeline-part"><h2 id="timeline-title">Timeline</h2>
${timelineHtml(details)}</section>
<div class="side">${guardHtml(match)}${factsHtml(details)}${historyHtml(details.history)}</div>
</div>`;
  return document(
    {
      title: `${title} · Touchline`,
      here: null,
      stream: `/board/events?event=${match.event_id}`,
      style: 'match.css',
      script: 'browser/page.js',
      content,
    },
    assets,
  );
}

function headHtml(match: BoardMatch, now: number): Html {
  const { home, away, score, shoot_out, place, season_id, under_review } = match;
  const where = [place.season ?? place.competition, place.stage, place.group].filter(
    (name) => name !== null && name !== '',
  );
  return html`<header class="match-head">
<p class="where">${where.join(' · ')}${season_id !== null && html` <a href="/standings?season=${season_id}">Tables</a>`}</p>
<h1 id="scoreline" class="scoreline"><span class="side-name home">${nameOf(home)}</span><span class="big-score" data-review="${under_review ? 'yes' : 'no'}"><span>${score?.home ?? '?'}</span><i aria-hidden="true">–</i><span>${score?.away ?? '?'}</span></span><span class="side-name away">${nameOf(away)}</span></h1>
<p class="state"><span id="when" class="when">${whenCell(match, now)}</span> <span class="status">${statusName(match.status_id, match.status_type)}</span>${
    shoot_out !== null &&
    html` <span class="mark">${isShootOut(match.status_id) ? 'Shoot-out' : 'Decided on penalties'} ${scoreWords(shoot_out)}</span>`
  }${under_review && html` <span class="mark review">Under review</span>`}</p>
</header>`;
}

function guardHtml({ guard, status_type }: BoardMatch): Html {
  const over = status_type === 'finished';
  return html`<section class="panel guard ${guard.safe ? 'is-safe' : 'is-halted'}" aria-labelledby="guard-title">
<h2 id="guard-title">Trading guard</h2>
<p class="verdict">${guard.safe ? 'Safe to trade' : over ? 'Not safe to settle' : 'Trading halted'}</p>
${!guard.safe && html`<p>Because: ${guardWords(guard.reasons)}.</p>`}
</section>`;
}

function factsHtml({ match, coverage, source, verified_result }: MatchDetails): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Score as it stands', scoreWords(match.score)],
    ['Firm score', scoreWords(match.firm)],
    ['Provider’s score', match.reported === null ? 'not told' : scoreWords(match.reported)],
    ['Agreement', agreementWords(match)],
    ['Shoot-out', match.shoot_out === null ? 'none' : scoreWords(match.shoot_out)],
    [
      'Score from',
      source === 'incidents' ? 'incidents' : source === 'reported' ? 'the provider' : 'nothing yet',
    ],
    ['Timeline', COVERAGES[coverage]],
    ['Kick-off', match.start_date ?? 'not told'],
    ['Verified result', verifiedWords(verified_result)],
    ['Version', String(match.version)],
  ];
  return html`<section class="panel" aria-labelledby="facts-title"><h2 id="facts-title">Score and source</h2>
<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

function historyHtml(history: readonly HistoryEntry[]): Html {
  const newestFirst = history.toReversed();
  const older = newestFirst.slice(LATEST);
  return html`<section class="panel" aria-labelledby="history-title"><h2 id="history-title">Guard and status history</h2>
${
  newestFirst.length === 0
    ? html`<p class="empty">Nothing has changed yet.</p>`
    : html`<ol class="history" reversed>${newestFirst.slice(0, LATEST).map(historyRow)}</ol>`
}${older.length > 0 && html`<details><summary>${older.length} earlier</summary><ol class="history" reversed>${older.map(historyRow)}</ol></details>`}
<p class="small">Times are UTC, as the provider wrote them.</p></section>`;
}

function historyRow({ version, kind, what, ut }: HistoryEntry): Html {
  return html`<li data-key="${version}-${kind}" class="${kind}">${timeOf(ut)} <span>${what}</span></li>`;
}
