import { type BoardMatch, matchName } from '#story/match.ts';
import { scoreWords } from '#story/words.ts';
import type { Bracket, BracketRound, Tie, TieSide } from '../bracket.ts';
import { type Html, html } from '../shared/html.ts';
import { momentText } from '../shared/row.ts';

/** Renders the knock-out rounds side by side, and rounds for other places below them. `now`: Unix seconds. */
export function bracketHtml({ rounds, placements }: Bracket, now: number): Html {
  const final = rounds.at(-1)?.ties;
  const champion =
    final?.length === 1 ? final[0]?.sides.find(({ advances }) => advances === true) : undefined;
  return html`${champion !== undefined && html`<p class="champion" data-key="champion">Champion: <b>${champion.name}</b></p>`}
<div class="bracket" data-key="bracket">${rounds.map((round, n) => roundHtml(round, now, rounds[n + 1]))}</div>
${placements.length > 0 && html`<div class="bracket placements" data-key="placements">${placements.map((round) => roundHtml(round, now, undefined))}</div>`}`;
}

/** Renders a round. Lines join it to the next one when two of its ties lead to each tie of that. */
function roundHtml({ key, title, ties }: BracketRound, now: number, next: BracketRound | undefined): Html {
  const isJoined = next !== undefined && next.ties.length > 0 && ties.length === 2 * next.ties.length;
  return html`<section class="round" data-joined="${isJoined ? 'yes' : 'no'}" data-key="round-${key}" aria-labelledby="round-${key}"><h2 id="round-${key}">${title}</h2>
${ties.length === 0 ? html`<p class="empty">No match yet.</p>` : html`<ul class="ties">${ties.map((tie) => tieHtml(tie, now))}</ul>`}</section>`;
}

function tieHtml({ key, sides, legs, isUndecided }: Tie, now: number): Html {
  const current = legs.find(({ status_type }) => status_type !== 'finished') ?? legs.at(-1);
  return html`<li class="slot" data-key="tie-${key}"><div class="tie">${sides.map(sideHtml)}${
    isUndecided &&
    html`
<p class="small soft">Level. No known rule says who advances.</p>`
  }
<p class="legs row small">${legs.map((leg, n) => legHtml(leg, legs.length > 1 ? n + 1 : null, leg === current, now))}</p></div></li>`;
}

function sideHtml({ name, goals, kicks, advances }: TieSide): Html {
  return html`<p class="side${advances === true && ' won'}${advances === false && ' soft'}"><span class="team">${name}${advances === true && html`<span class="visually-hidden"> (won)</span>`}</span> <span class="goals">${goals ?? ''}${kicks !== null && html` <span><span class="visually-hidden">on penalties </span>(${kicks})</span>`}</span></p>`;
}

/** Renders the link to a match, with its time or its score. The link of the current leg, else of the last, covers the whole tie. */
function legHtml(match: BoardMatch, leg: number | null, isCurrent: boolean, now: number): Html {
  const when = momentText(match, { now, connection: 'awaited' }) || 'Match';
  return html`<a${isCurrent && html` class="whole"`} href="/match/${match.event_id}" data-phase="${match.status_type ?? ''}"><span class="visually-hidden">${matchName(match)}: </span>${
    leg !== null && `Leg ${leg}: ${match.score === null ? '' : `${scoreWords(match.score)}, `}`
  }<span data-clock="${match.event_id}">${when}</span>${match.under_review && html` <span class="mark review">Under review</span>`}</a> `;
}
