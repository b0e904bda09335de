import { endingWords, halfWords, isShootingOut, scoreWords, statusName } from '#story/words.ts';
import { firmHtml, guardCell } from './guard.ts';
import type { ShownMoment } from './heartbeat.ts';
import { type Html, html } from './html.ts';
import { type BoardMatch, hasNoScoreYet, nameOf, phaseOf } from './match.ts';
import { agoWords, dayText, durationWords, minuteText, quietFor, timeText } from './minute.ts';

/** Renders the row of a match. All rows have the same height. The whole row except the star links to the page of the match. */
export function matchRow(match: BoardMatch, moment: ShownMoment, isFavourite: boolean): Html {
  const { event_id, under_review, red_cards } = match;
  const phase = phaseOf(match);
  const guard = guardCell(match, moment.connection);
  const last = lastUpdate(match, moment);
  const [home, away] = [nameOf(match.home), nameOf(match.away)];
  return html`<li id="match-${event_id}" class="match" data-key="match-${event_id}" data-phase="${phase}" data-guard="${guard.state}"><a href="/match/${event_id}">
<span class="when">${whenCell(match, moment)}</span>
<span class="team home">${home}${redCards(red_cards.home)}</span>
<span class="team away">${away}${redCards(red_cards.away)}</span>
<span class="score" data-review="${under_review ? 'yes' : 'no'}">${scoreCell(match)}</span>
<span class="beside">${besideCell(match)}</span>
<span class="guard">${guard.cell}</span>
<span class="last" data-quiet="${last.isQuiet ? 'yes' : 'no'}">${last.text}</span>
</a><button type="button" class="star" aria-pressed="${isFavourite ? 'true' : 'false'}" aria-label="Favourite: ${home} – ${away}">★</button></li>`;
}

/** Renders a placeholder for an unchanged row: `morph` keeps the row that is in the page. */
export function sameRow({ event_id }: BoardMatch): Html {
  return html`<li id="match-${event_id}" data-key="match-${event_id}" data-same="yes"></li>`;
}

/** Renders the minute and the half of a match, else the day; while the connection is lost, no minute of a live match. */
export function whenCell(match: BoardMatch, { now, connection }: ShownMoment): Html {
  const spoken = html`<span class="visually-hidden"> ${spokenStatus(match)}, </span>`;
  if (connection === 'lost' && phaseOf(match) === 'live')
    return html`<span class="minute">–</span>${spoken}<span class="day">as of ${timeText(now)}</span>`;
  const minute = minuteText(match, now);
  const half = minute.endsWith('′') ? halfWords(match) : '';
  const day = dayText(match, now);
  return html`<span class="minute">${minute}</span>${half !== '' && html` <span class="half" aria-hidden="true">${half}</span>`}${spoken}${day !== '' && html`<span class="day">${day}</span>`}`;
}

/** Returns the time since the last message of a live match was received; no text while the connection is lost. */
export function lastUpdate(
  match: BoardMatch,
  { now, connection }: ShownMoment,
): { readonly text: string; readonly isQuiet: boolean } {
  if (connection === 'lost' || phaseOf(match) !== 'live') return { text: '', isQuiet: false };
  const quiet = quietFor(match, now);
  if (quiet !== null) return { text: `no update for ${durationWords(quiet)}`, isQuiet: true };
  return { text: agoWords(match.received_at, now), isQuiet: false };
}

/** Renders the firm score if it differs, and the score of the shoot-out. */
function besideCell(match: BoardMatch): Html {
  const { shoot_out } = match;
  return html`${firmHtml(match)}${
    shoot_out !== null &&
    html`<span class="pens">${isShootingOut(match) ? 'pens' : 'on pens'} <b>${scoreWords(shoot_out)}</b></span>`
  }`;
}

function redCards(cards: number): Html | false {
  if (cards === 0) return false;
  const words = cards === 1 ? 'red card' : `${cards} red cards`;
  return html` <span class="red-card"><span class="visually-hidden">(${words})</span>${cards > 1 && html`<span aria-hidden="true">${cards}</span>`}</span>`;
}

function spokenStatus(match: BoardMatch): string {
  if (match.status_type !== 'finished') return statusName(match);
  return (
    endingWords(match.status_id) ?? (match.status_words === null ? 'in regular time' : statusName(match))
  );
}

function scoreCell(match: BoardMatch): Html {
  const isBefore = hasNoScoreYet(match);
  const goals = (of: number | undefined): Html | number | string =>
    isBefore ? '' : (of ?? html`<abbr title="unknown">?</abbr>`);
  const { score } = match;
  return html`<span class="goals home">${goals(score?.home)}</span><span class="dash" aria-hidden="true">${isBefore ? 'v' : '–'}</span><span class="goals away">${goals(score?.away)}</span>`;
}
