/** The matches of a year: a season and the begin of the next one, with scores that are known beforehand. */
import { BenchMatch } from '../../bench/matches.ts';

const MATCHES_A_DAY = 15;
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
  /** 0: the first of the year, 1: the next one. */
  readonly season: number;
  /** The day for which it is announced first, as `2027-09-04`. */
  readonly announced: string;
  /** The day on which it is played. */
  readonly day: string;
  readonly final: Goals;
};

/** All matches of the year. */
export function matchesOfYear(): YearMatch[] {
  const matches: YearMatch[] = [];
  for (const [season, days] of ROUNDS.entries()) {
    for (const [round, announced] of days.entries()) {
      for (let slot = 0; slot < MATCHES_A_DAY; slot++) {
        const number = matches.length;
        const { eventId, plan } = new BenchMatch(number, MESSAGES, 0);
        const day = (season === 0 && slot === 0 ? POSTPONED.get(round) : undefined) ?? announced;
        matches.push({ eventId, number, season, announced, day, final: plan.final });
      }
    }
  }
  return matches;
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
    messages.push({ at, message: played.next().message });
  }
  return messages;
}

/** The message that announces a match for a day. */
export function announcement(match: YearMatch, day: string, at: number): ProviderMessage {
  return benchMatch(match, kickOffOf(day)).fixture(Math.floor(at / 1_000)).message as ProviderMessage;
}

/** The message that postpones a match. */
export function postponement(match: YearMatch, at: number): object {
  const message = announcement(match, match.announced, at);
  const event = { ...message.data.event, status_id: 5, status_type: 'scheduled' };
  return { ...message, id: 300_000_000 + match.number, data: { event } };
}

function benchMatch(match: YearMatch, kickOff: number): BenchMatch {
  const epoch = new BenchMatch(match.number, MESSAGES, 0).nextAt;
  return new BenchMatch(match.number, MESSAGES, kickOff / 1_000 - epoch);
}

type ProviderMessage = { readonly data: { readonly event: { readonly season_id: number } } };

/** Returns the season of a match, the provider's. */
export function seasonOf(match: YearMatch): number {
  return announcement(match, match.day, 0).data.event.season_id;
}
