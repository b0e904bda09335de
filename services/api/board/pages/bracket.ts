import { type BoardMatch, matchName } from '#story/match.ts';
import { scoreWords } from '#story/words.ts';
import type { Bracket, BracketRound, Tie, TieSide } from '../bracket.ts';
import { type Html, html } from './html.ts';
import type { Moment } from './moment.ts';
import { momentText } from './row.ts';

/** Renders the knock-out rounds side by side, and rounds for other places below them. */
export function bracketHtml({ rounds, placements }: Bracket, moment: Moment): Html {
  const final = rounds.at(-1)?.ties;
  const champion =
    final?.length === 1 ? final[0]?.sides.find(({ advances }) => advances === true) : undefined;
  return html`${champion !== undefined && html`<p class="champion">Champion: <b>${champion.name}</b></p>`}
<div class="bracket">${rounds.map((round, n) => roundHtml(round, moment, rounds[n + 1]))}</div>
${placements.length > 0 && html`<div class="bracket placements">${placements.map((round) => roundHtml(round, moment, undefined))}</div>`}`;
}

/** Renders a round. Lines join it to the next one when two of its ties lead to each tie of that. */
function roundHtml({ key, title, ties }: BracketRound, moment: Moment, next: BracketRound | undefined): Html {
  const isJoined = next !== undefined && next.ties.length > 0 && ties.length === 2 * next.ties.length;
  return html`<section class="round" data-joined="${isJoined ? 'yes' : 'no'}" aria-labelledby="round-${key}"><h2 id="round-${key}">${title}</h2>
${ties.length === 0 ? html`<p class="empty">No match yet.</p>` : html`<ul class="ties">${ties.map((tie) => tieHtml(tie, moment))}</ul>`}</section>`;
}

function tieHtml({ key, sides, legs, isUndecided }: Tie, moment: Moment): Html {
  const current = legs.find(({ status_type }) => status_type !== 'finished') ?? legs.at(-1);
  return html`<li class="slot" id="tie-${key}"><div class="tie">${sides.map(sideHtml)}${
    isUndecided &&
    html`
<p class="small soft">Level. No known rule says who advances.</p>`
  }
<p class="legs row small">${legs.map((leg, n) => legHtml(leg, legs.length > 1 ? n + 1 : null, leg === current, moment))}</p></div></li>`;
}

function sideHtml({ name, goals, kicks, advances }: TieSide): Html {
  return html`<p class="side${advances === true && ' won'}${advances === false && ' soft'}"><span class="team">${name}${advances === true && html`<span class="visually-hidden"> (won)</span>`}</span> <span class="goals">${goals ?? ''}${kicks !== null && html` <span><span class="visually-hidden">on penalties </span>(${kicks})</span>`}</span></p>`;
}

/** Renders the link to a match, with its time or its score. The link of the current leg, else of the last, covers the whole tie. */
function legHtml(match: BoardMatch, leg: number | null, isCurrent: boolean, moment: Moment): Html {
  return html`<a${isCurrent && html` class="whole"`} href="/match/${match.event_id}" data-phase="${match.status_type ?? ''}"><span class="visually-hidden">${matchName(match)}: </span>${
    leg !== null && `Leg ${leg}: ${match.score === null ? '' : `${scoreWords(match.score)}, `}`
  }${momentText(match, moment)}${match.under_review && html` <span class="mark review">Under review</span>`}</a> `;
}
