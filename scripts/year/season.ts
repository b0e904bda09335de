/** The matches of a year: a season of three leagues and the begin of the next one, with scores that are known beforehand. */
import { BenchMatch } from '../../bench/matches.ts';

const LEAGUES = 3;
const TEAMS = 10;
const MESSAGES = 100;

/** The days on which matches are played, by the number of the season. */
// biome-ignore format: one day a line would hide the year
const ROUNDS: readonly (readonly string[])[] = [
  [
    '2027-09-04', '2027-09-18', '2027-10-02', '2027-10-16',
    // Clocks of Europe are set back this night.
    '2027-10-31', '2027-11-13', '2027-11-27', '2027-12-11', '2027-12-26',
    // New Year, and later the leap day and the night when clocks are set forward.
    '2028-01-01', '2028-01-15', '2028-01-29', '2028-02-12', '2028-02-29', '2028-03-11', '2028-03-26', '2028-04-15', '2028-05-06',
  ],
  ['2028-07-15', '2028-07-29', '2028-08-12', '2028-08-26'],
];
/** First matches of these rounds of the first season are postponed: to a day within it, and to the time between both. */
const POSTPONED: ReadonlyMap<number, string> = new Map([
  [4, '2028-02-02'],
  [16, '2028-06-10'],
]);

type Goals = { readonly home: number; readonly away: number };

/** A match of the year. */
export type YearMatch = {
  readonly eventId: number;
  readonly number: number;
  readonly league: number;
  readonly season: number;
  readonly round: number;
  readonly teams: readonly [home: number, away: number];
  /** The day for which it is announced first, as `2027-09-04`. */
  readonly announced: string;
  /** The day on which it is played. */
  readonly day: string;
  readonly final: Goals;
};

export function seasonId(league: number, season: number): number {
  return 25_000 + season * 100 + league;
}

/** All matches of the year. */
export function matchesOfYear(): YearMatch[] {
  const matches: YearMatch[] = [];
  for (const [season, days] of ROUNDS.entries()) {
    for (const [round, announced] of days.entries()) {
      for (let league = 0; league < LEAGUES; league++) {
        for (const [slot, pair] of pairsOf(round).entries()) {
          const number = matches.length;
          const later = season === 0 && slot === 0 ? POSTPONED.get(round) : undefined;
          const { eventId, plan } = new BenchMatch(number, MESSAGES, 0);
          const teams = pair.map((team) => 600 + league * 100 + team) as [number, number];
          const day = later ?? announced;
          matches.push({ eventId, number, league, season, round, teams, announced, day, final: plan.final });
        }
      }
    }
  }
  return matches;
}

/** The pairs of a round of a double round robin, by the circle method. */
function pairsOf(round: number): (readonly [home: number, away: number])[] {
  const turns = TEAMS - 1;
  const turn = round % turns;
  return Array.from({ length: TEAMS / 2 }, (_, slot): readonly [number, number] => {
    const one = slot === 0 ? turns : (turn + slot) % turns;
    const other = (turn - slot + turns) % turns;
    const isTurned = round < turns === (slot % 2 === 0);
    return isTurned ? [one, other] : [other, one];
  });
}

/** A message and when it is written, Unix milliseconds. */
export type YearMessage = { readonly at: number; readonly message: object };

/** Kick-off of a match day, Unix milliseconds: at 02:30 in the night when clocks are set, else in the afternoon. */
export function kickOffOf(day: string): number {
  const isNight = day === '2027-10-31' || day === '2028-03-26';
  return Date.parse(`${day}T${isNight ? '00:30' : '15:00'}:00Z`);
}

/** Minutes that a match takes. */
export const MATCH_MINUTES = 120;

/** The messages of a match from its kick-off. */
export function messagesOf(match: YearMatch): YearMessage[] {
  const kickOff = kickOffOf(match.day);
  const played = benchMatch(match, kickOff);
  const messages: YearMessage[] = [];
  while (played.nextAt !== Number.POSITIVE_INFINITY) {
    const at = played.nextAt * 1_000;
    messages.push({ at, message: ofLeague(match, played.next().message as ProviderMessage) });
  }
  return messages;
}

/** The message that announces a match for a day. */
export function announcement(match: YearMatch, day: string, at: number): object {
  const { message } = benchMatch(match, kickOffOf(day)).fixture(Math.floor(at / 1_000));
  return ofLeague(match, message as ProviderMessage);
}

/** The message that postpones a match. */
export function postponement(match: YearMatch, at: number): object {
  const message = announcement(match, match.announced, at) as ProviderMessage;
  const event = { ...message.data.event, status_id: 5, status_type: 'scheduled' };
  return { ...message, id: 300_000_000 + match.number, data: { event } };
}

function benchMatch(match: YearMatch, kickOff: number): BenchMatch {
  const epoch = new BenchMatch(match.number, MESSAGES, 0).nextAt;
  return new BenchMatch(match.number, MESSAGES, kickOff / 1_000 - epoch);
}

type ProviderMessage = {
  readonly id: number;
  readonly data: { readonly incident?: Incident; readonly event: ProviderEvent };
};
type Incident = { readonly participant_id: number | null };
type Participant = { readonly counter: 1 | 2 };
type ProviderEvent = { readonly participants: readonly Participant[] };

/** Puts a message of a generated match into its league. */
function ofLeague({ league, season, round, teams }: YearMatch, message: ProviderMessage): object {
  const { incident, event } = message.data;
  const sides = new Map<number | null, number>();
  const participants = event.participants.map((participant) => {
    const id = teams[participant.counter - 1] as number;
    sides.set((participant as { readonly id?: number }).id ?? null, id);
    return { ...participant, id, name: `Town ${id}`, short_name: `Town ${id}` };
  });
  const placed = {
    ...event,
    name: participants.map(({ name }) => name).join(' - '),
    competition_id: 7_000 + league,
    season_id: seasonId(league, season),
    stage_id: 76_000 + season * 100 + league,
    round_id: 30 + round,
    round_name: `Round ${round + 1}`,
    participants,
  };
  if (incident === undefined) return { ...message, data: { event: placed } };
  const participant_id = sides.get(incident.participant_id) ?? null;
  const participant_name = participant_id === null ? null : `Town ${participant_id}`;
  return { ...message, data: { incident: { ...incident, participant_id, participant_name }, event: placed } };
}
