import { foldName } from '#domain/name-search.ts';
import { type BoardGoal, type BoardMatch, hasNoScoreYet, nameOf, phaseOf } from '#story/match.ts';
import { type ClockedMatch, dayText, durationWords, minuteText, quietFor, timeText } from '#story/minute.ts';
import { endingWords, halfWords, isShootingOut, scoreWords, statusName } from '#story/words.ts';
import { teamNames } from '../arrange.ts';
import { firmHtml, guardCell } from './guard.ts';
import { type Html, html, type Moment, whileConnected } from './html.ts';

/** Number of scores beside the score: a row has room for two lines. */
const MAX_BESIDE = 2;

const GOAL_WORDS: Readonly<Record<BoardGoal['kind'], string>> = {
  goal: '',
  penalty: '(pen.)',
  own_goal: '(own goal)',
};

type BoardRow = { readonly match: BoardMatch; readonly order: string };

/** Renders the row of a match. All rows have the same height, and the whole row links to the page of the match. */
export function matchRow({ match, order }: BoardRow, moment: Moment): Html {
  const { event_id, under_review, competition_id } = match;
  const beside = besideParts(match);
  const guard = guardCell(match, moment);
  const names = teamNames(match);
  return html`<li id="match-${event_id}" class="match" data-order="${order}" data-phase="${phaseOf(match, moment.now)}" data-guard="${guard.state}" data-competition="${competition_id}" data-names="${names.toLowerCase()} ${foldName(names)}" ${newsAttributes(match)}><a href="/match/${event_id}">
<span class="when">${whenCell(match, moment)}</span>
${teamCell(match, 'home')}
${teamCell(match, 'away')}
<span class="score" data-review="${under_review ? 'yes' : 'no'}">${scoreCell(match)}</span>
<span class="beside" data-only="${beside.length === 1 && match.half_time !== null ? 'half-time' : ''}">${beside}</span>
<span class="guard">${guard.cell}</span>
${lastUpdate(match, moment)}
</a></li>`;
}

/** Renders the attributes by which a page skips an older version, and highlights and announces a change of the score. */
export function newsAttributes({ version, score, home, away, under_review }: BoardMatch): Html {
  const spoken = `${nameOf(home)} ${score?.home ?? 0}, ${nameOf(away)} ${score?.away ?? 0}${under_review ? ', under review' : ''}.`;
  return html`data-version="${version}" data-goals="${score === null ? '' : `${score.home} ${score.away}`}" data-spoken="${spoken}"`;
}

/** Renders the minute and the half of a match, else the day. */
export function whenCell(match: BoardMatch, moment: Moment): Html {
  const { now } = moment;
  const text = minuteText(match, now);
  const half = text.endsWith('′') ? halfWords(match) : '';
  const minute = html`<span class="minute">${text}</span>${half !== '' && html` <span class="half" aria-hidden="true">${half}</span>`}`;
  const day = dayText(match, now);
  return html`${
    phaseOf(match, now) === 'live'
      ? whileConnected(moment, minute, html`<span class="minute">–</span>`)
      : minute
  }<span class="visually-hidden"> ${spokenStatus(match)}, </span>${day !== '' && html`<span class="day">${day}</span>`}`;
}

/** Renders when the last message of a live match was received, or for how long none was. */
function lastUpdate(match: BoardMatch, { now }: Moment): Html {
  if (phaseOf(match, now) !== 'live') return html`<span class="last"></span>`;
  const quiet = quietWords(match, now);
  return quiet === null
    ? html`<span class="last">${timeText(match.received_at / 1000)}</span>`
    : html`<span class="last quiet">${quiet}</span>`;
}

/** Returns for how long a match is quiet, in whole minutes, as each other text is sent to the pages; null when it is not. */
export function quietWords(match: ClockedMatch, now: number): string | null {
  const quiet = quietFor(match, now);
  if (quiet === null) return null;
  const minutes = Math.floor(quiet / 60);
  return `no update for ${minutes < 120 ? `${minutes} min` : durationWords(quiet)}`;
}

/** Renders the name of a side with its initials, its cards and its goals. */
function teamCell(match: BoardMatch, side: 'home' | 'away'): Html {
  const goals = goalsWords(match.goals.filter((goal) => goal.side === side));
  return html`<span class="team ${side}"><span class="name">${nameOf(match[side])}</span>${cardsHtml('red', match.red_cards[side])}${cardsHtml('yellow', match.yellow_cards[side])}${
    goals !== '' &&
    html`<span class="visually-hidden">, goals: </span><span class="scorers" title="${goals}">${goals}</span>`
  }</span>`;
}

/** Returns who scored, each player once with all minutes: `Mitrović 12′, 45+2′ (pen.), Silva 60′ (own goal)`. */
function goalsWords(goals: readonly BoardGoal[]): string {
  const joined = (parts: readonly string[], by: string): string => parts.filter(Boolean).join(by);
  const players = Map.groupBy(goals, ({ player }, n) => player ?? `unknown ${n}`);
  const words = Array.from(players.values(), (scored) => {
    const times = scored.map(({ minute, kind }) =>
      joined([minute ? `${minute}′` : '', GOAL_WORDS[kind]], ' '),
    );
    return joined([scored[0]?.player ?? '', joined(times, ', ')], ' ');
  });
  return joined(words, ', ');
}

/** Renders the firm score if it differs, then the score of the shoot-out, then that at half-time: two of them at most. */
function besideParts(match: BoardMatch): Html[] {
  const { shoot_out, half_time } = match;
  const pens = isShootingOut(match) ? 'pens' : 'on pens';
  return [
    firmHtml(match),
    shoot_out && html`<span class="pens">${pens} <b>${scoreWords(shoot_out)}</b></span>`,
    half_time &&
      html`<span class="half-time"><span class="visually-hidden">, half-time </span><span aria-hidden="true">HT </span><b>${scoreWords(half_time)}</b></span>`,
  ]
    .filter((part) => part !== null)
    .slice(0, MAX_BESIDE);
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

export function momentText(match: ClockedMatch, moment: Moment): Html {
  const text = [dayText(match, moment.now), minuteText(match, moment.now)].filter((part) => part !== '');
  const words = text.join(', ');
  return phaseOf(match, moment.now) === 'live' ? whileConnected(moment, words, '–') : html`${words}`;
}
