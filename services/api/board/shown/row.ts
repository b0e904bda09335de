import { permissionMark } from './guard.ts';
import { type Html, html } from './html.ts';
import type { Moment, Word } from './last-word.ts';
import { type BoardMatch, isSameScore, nameOf, phaseOf } from './match.ts';
import { dayText, durationWords, minuteText, quietFor, timeText } from './minute.ts';
import { agreementWords, endingWords, isShootOut, scoreWords, statusName } from './words.ts';

/** One match on the board. The whole row is the link to its page. */
export function matchRow(match: BoardMatch, moment: Moment): Html {
  const { event_id, score, under_review } = match;
  const phase = phaseOf(match);
  return html`<li class="match" data-key="match-${event_id}" data-phase="${phase}" data-review="${under_review ? 'yes' : 'no'}"><a href="/match/${event_id}">
<span class="when">${whenCell(match, moment)}</span>
<span class="team home">${nameOf(match.home)}</span>
<span class="goals home">${score?.home ?? unknown(phase)}</span><span class="dash" aria-hidden="true">${phase === 'upcoming' ? 'v' : '–'}</span><span class="goals away">${score?.away ?? unknown(phase)}</span>
<span class="team away">${nameOf(match.away)}</span>
<span class="marks">${marks(match, moment.word)}</span>
</a></li>`;
}

/** The minute, and what belongs beside it: the part of a row that changes with time alone. A clock that nobody vouches for does not run. */
export function whenCell(match: BoardMatch, { now, word }: Moment): Html {
  if (word === 'lost' && phaseOf(match) === 'live')
    return html`<span class="minute">–</span><span class="visually-hidden"> ${spokenStatus(match)}, </span><span class="day">as of ${timeText(now)}</span>`;
  const quiet = quietFor(match, now);
  const day = dayText(match);
  return html`<span class="minute">${minuteText(match, now)}</span><span class="visually-hidden"> ${spokenStatus(match)}, </span>${day !== '' && html`<span class="day">${day}</span>`}${quiet !== null && html`<span class="quiet">no update for ${durationWords(quiet)}</span>`}`;
}

function spokenStatus({ status_id, status_type }: BoardMatch): string {
  return status_type === 'finished'
    ? (endingWords(status_id) ?? 'in regular time')
    : statusName(status_id, status_type);
}

function unknown(phase: string): Html | string {
  return phase === 'upcoming' ? '' : html`<abbr title="unknown">?</abbr>`;
}

/** Reasons that have a mark of their own. */
const MARKED: ReadonlySet<string> = new Set(['under_review', 'score_differs']);

/** What to know before acting on the score. */
export function marks(match: BoardMatch, word: Word): Html {
  const phase = phaseOf(match);
  const { score, firm, shoot_out, under_review, agreement } = match;
  const ending = phase === 'finished' && shoot_out === null ? endingWords(match.status_id) : null;
  return html`${under_review && html`<span class="mark review">Under review</span> `}${
    !isSameScore(score, firm) && firm !== null && html`<span class="mark">firm ${scoreWords(firm)}</span> `
  }${
    shoot_out !== null &&
    html`<span class="mark">${isShootOut(match.status_id) ? 'pens' : 'on pens'} ${scoreWords(shoot_out)}</span> `
  }${ending !== null && html`<span class="mark">${ending}</span> `}${permissionMark(match, word, MARKED)}${phase !== 'upcoming' && html`<span class="mark ${agreement}">${agreementWords(match)}</span>`}`;
}
