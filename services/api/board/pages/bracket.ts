import type { Bracket, BracketRound, Tie, TieSide } from '../bracket.ts';
import { type Html, html } from '../shown/html.ts';
import { type BoardMatch, nameOf } from '../shown/match.ts';
import { momentText } from '../shown/minute.ts';
import { endingWords, scoreWords } from '../shown/words.ts';

/** The knock-out rounds side by side, those for other places below; `now` is Unix seconds. */
export function bracketHtml({ rounds, placements }: Bracket, now: number): Html {
  return html`<div class="bracket" data-key="bracket">${rounds.map((round) => roundHtml(round, now))}</div>
${placements.length > 0 && html`<div class="bracket placements" data-key="placements">${placements.map((round) => roundHtml(round, now))}</div>`}`;
}

function roundHtml({ key, title, ties }: BracketRound, now: number): Html {
  return html`<section class="round" data-key="round-${key}" aria-labelledby="round-${key}"><h2 id="round-${key}">${title}</h2>
${ties.length === 0 ? html`<p class="empty">No match yet.</p>` : html`<ul class="ties">${ties.map((tie) => tieHtml(tie, now))}</ul>`}</section>`;
}

function tieHtml({ key, sides, legs }: Tie, now: number): Html {
  return html`<li class="tie${legs.length === 1 && ' one'}" data-key="tie-${key}">${sides.map(sideHtml)}
<p class="legs">${legs.map((leg, n) => legHtml(leg, legs.length > 1 ? n + 1 : null, now))}</p></li>`;
}

function sideHtml({ name, goals, kicks, advances }: TieSide): Html {
  return html`<p class="side${advances === true && ' won'}${advances === false && ' lost'}"><span class="team">${name}${advances === true && html`<span class="visually-hidden"> (won)</span>`}</span> <span class="goals">${goals ?? ''}${kicks !== null && html` <span class="kicks"><span class="visually-hidden">on penalties </span>(${kicks})</span>`}</span></p>`;
}

/** The link to a match: when it is, or how it stands. */
function legHtml(match: BoardMatch, leg: number | null, now: number): Html {
  const when = momentText(match, { now, word: 'awaited' }) || 'Match';
  const ending = match.status_type === 'finished' ? endingWords(match.status_id) : null;
  return html`<a href="/match/${match.event_id}" data-phase="${match.status_type ?? ''}"><span class="visually-hidden">${nameOf(match.home)} – ${nameOf(match.away)}: </span>${
    leg !== null && `Leg ${leg}: ${match.score === null ? '' : `${scoreWords(match.score)}, `}`
  }<span data-clock="${match.event_id}">${when}</span>${ending !== null && ` ${ending}`}${match.under_review && html` <span class="mark review">Under review</span>`}</a> `;
}
