import { type BoardGoal, type BoardMatch, hasNoScoreYet, nameOf, phaseOf } from '#story/match.ts';
import {
  agoWords,
  type ClockedMatch,
  dayText,
  durationWords,
  minuteText,
  quietFor,
  timeText,
} from '#story/minute.ts';
import { endingWords, halfWords, isShootingOut, scoreWords, statusName } from '#story/words.ts';
import { firmHtml, guardCell } from './guard.ts';
import type { ShownMoment } from './heartbeat.ts';
import { type Html, html } from './html.ts';

/** Longest initials, characters: the provider's acronyms have three, and other texts may be there. */
const MAX_INITIALS = 4;
/** Number of scores beside the score: a row has room for two lines. */
const MAX_BESIDE = 2;

const GOAL_WORDS: Readonly<Record<BoardGoal['kind'], string>> = {
  goal: '',
  penalty: '(pen.)',
  own_goal: '(own goal)',
};

/** Renders the row of a match. All rows have the same height. The whole row except the star links to the page of the match. */
export function matchRow(match: BoardMatch, moment: ShownMoment, isFavourite: boolean): Html {
  const { event_id, under_review } = match;
  const beside = besideParts(match);
  const phase = phaseOf(match, moment.now);
  const guard = guardCell(match, moment);
  const last = lastUpdate(match, moment);
  const [home, away] = [nameOf(match.home), nameOf(match.away)];
  return html`<li id="match-${event_id}" class="match" data-key="match-${event_id}" data-phase="${phase}" data-guard="${guard.state}"><a href="/match/${event_id}">
<span class="when">${whenCell(match, moment)}</span>
${teamCell(match, 'home')}
${teamCell(match, 'away')}
<span class="score" data-review="${under_review ? 'yes' : 'no'}">${scoreCell(match)}</span>
<span class="beside" data-only="${beside.length === 1 && match.half_time !== null ? 'half-time' : ''}">${beside}</span>
<span class="guard">${guard.cell}</span>
<span class="last" data-quiet="${last.isQuiet ? 'yes' : 'no'}">${last.text}</span>
</a><button type="button" class="star" aria-pressed="${isFavourite ? 'true' : 'false'}" aria-label="Favourite: ${home} – ${away}">★</button></li>`;
}

/** Renders a placeholder for an unchanged row: `morph` keeps the row that is in the page. */
export function sameRow({ event_id }: BoardMatch): Html {
  return html`<li id="match-${event_id}" data-key="match-${event_id}" data-same="yes"></li>`;
}

/** Renders the minute and the half of a match, else the day; while the connection is lost, no minute of a live match. */
export function whenCell(match: BoardMatch, { now, connection, zone }: ShownMoment): Html {
  const spoken = html`<span class="visually-hidden"> ${spokenStatus(match)}, </span>`;
  if (connection === 'lost' && phaseOf(match, now) === 'live')
    return html`<span class="minute">–</span>${spoken}<span class="day">as of ${timeText(now, zone)}</span>`;
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
  if (connection === 'lost' || phaseOf(match, now) !== 'live') return { text: '', isQuiet: false };
  const quiet = quietFor(match, now);
  if (quiet !== null) return { text: `no update for ${durationWords(quiet)}`, isQuiet: true };
  return { text: agoWords(match.received_at, now), isQuiet: false };
}

/** Renders the name of a side with its initials, its cards and its goals. */
function teamCell(match: BoardMatch, side: 'home' | 'away'): Html {
  const { acronym } = match[side];
  const goals = goalsWords(match.goals.filter((goal) => goal.side === side));
  return html`<span class="team ${side}" data-initials="${acronym?.slice(0, MAX_INITIALS)}"><span class="name">${nameOf(match[side])}</span>${cardsHtml('red', match.red_cards[side])}${cardsHtml('yellow', match.yellow_cards[side])}${
    goals !== '' &&
    html`<span class="visually-hidden">, goals: </span><span class="scorers" title="${goals}">${goals}</span>`
  }</span>`;
}

/** Returns who scored, each player once with all minutes: `Mitrović 12′, 45+2′ (pen.), Silva 60′ (own goal)`. */
function goalsWords(goals: readonly BoardGoal[]): string {
  const players = Map.groupBy(goals, ({ player }, n) => player ?? `unknown ${n}`);
  return Array.from(players.values(), (scored) => {
    const times = scored.map(({ minute, kind }) =>
      [minute === null ? '' : `${minute}′`, GOAL_WORDS[kind]].filter((part) => part !== '').join(' '),
    );
    return `${scored[0]?.player ?? ''} ${times.filter((time) => time !== '').join(', ')}`.trim();
  })
    .filter((words) => words !== '')
    .join(', ');
}

/** Renders the firm score if it differs, then the score of the shoot-out, then that at half-time: two of them at most. */
function besideParts(match: BoardMatch): Html[] {
  const { shoot_out, half_time } = match;
  const firm = firmHtml(match);
  return [
    ...(firm === null ? [] : [firm]),
    ...(shoot_out === null
      ? []
      : [
          html`<span class="pens">${isShootingOut(match) ? 'pens' : 'on pens'} <b>${scoreWords(shoot_out)}</b></span>`,
        ]),
    ...(half_time === null
      ? []
      : [
          html`<span class="half-time"><span class="visually-hidden">, half-time </span><span aria-hidden="true">HT </span><b>${scoreWords(half_time)}</b></span>`,
        ]),
  ].slice(0, MAX_BESIDE);
}

function cardsHtml(colour: 'red' | 'yellow', cards: number): Html | false {
  if (cards === 0) return false;
  const words = cards === 1 ? `${colour} card` : `${cards} ${colour} cards`;
  return html` <span class="card ${colour}"><span class="visually-hidden">(${words})</span>${cards > 1 && html`<span aria-hidden="true">${cards}</span>`}</span>`;
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

/** Returns day and minute in one line; while the connection is lost, no minute of a live match. */
export function momentText(match: ClockedMatch, { now, connection, zone }: ShownMoment): string {
  if (connection === 'lost' && phaseOf(match, now) === 'live') return `–, as of ${timeText(now, zone)}`;
  return [dayText(match, now), minuteText(match, now)].filter((part) => part !== '').join(', ');
}
