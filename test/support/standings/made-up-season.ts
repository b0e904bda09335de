import type { NormalizedMessage } from '#records/types.ts';
import { seeded } from '../seed.ts';
import {
  eventOf,
  FINISHED,
  HALFTIME,
  incidentOf,
  type MatchLevels,
  type MatchReport,
  SCHEDULED,
} from './provider-messages.ts';

const FIRST_KICK_OFF = Date.UTC(2026, 7, 1, 15) / 1_000;
const WEEK = 7 * 86_400;

/** A match of a generated season. */
export type GeneratedMatch = Pick<MatchReport, 'event' | 'levels' | 'round' | 'start' | 'home' | 'away'> & {
  /** Time of the kick-off, Unix seconds. */
  readonly kickOff: number;
};

/**
 * Returns the fixtures of a season in which every two teams meet twice, one round a week. `firstEvent` is the id of the
 * first match.
 */
export function fixtures(levels: MatchLevels, teams: number, firstEvent: number): GeneratedMatch[] {
  const team = (at: number) => ({ id: at + 1, name: `Team ${String(at + 1).padStart(2, '0')}` });
  const rounds = teams - 1;
  const made: GeneratedMatch[] = [];
  for (let round = 0; round < 2 * rounds; round += 1) {
    const kickOff = FIRST_KICK_OFF + round * WEEK;
    for (let pair = 0; pair < teams / 2; pair += 1) {
      // The circle method: the last team stays, the others rotate.
      const one = pair === 0 ? teams - 1 : (round + pair) % rounds;
      const other = pair === 0 ? round % rounds : (round - pair + 2 * rounds) % rounds;
      const [home, away] = round < rounds === (pair % 2 === 0) ? [one, other] : [other, one];
      made.push({
        event: firstEvent + made.length,
        levels,
        round: round + 1,
        start: new Date(kickOff * 1_000).toISOString().slice(0, 16).replace('T', ' '),
        kickOff,
        home: team(home),
        away: team(away),
      });
    }
  }
  return made;
}

/** Returns the report of a fixture in a state, `minutes` after its kick-off. */
function reportOf(
  { kickOff, ...fixture }: GeneratedMatch,
  minutes: number,
  status: MatchReport['status'],
  results: MatchReport['results'] = {},
): MatchReport {
  return { ...fixture, ut: kickOff + minutes * 60, status, results };
}

/**
 * Returns the messages of a whole season, oldest first. Every match is reported before its start, at half-time and at
 * its end, a few with their goals; one result in ten is corrected days later. The same seed gives the same results.
 */
export function seasonMessages(season: readonly GeneratedMatch[], seed: number): NormalizedMessage[] {
  const random = seeded(seed);
  const goals = () => Math.floor(random() * random() * 5);
  const messages = season.flatMap((fixture) => {
    const half = [goals(), goals()] as const;
    const end = [half[0] + goals(), half[1] + goals()] as const;
    const results = { 2: end, 4: half, 5: [end[0] - half[0], end[1] - half[1]] as const };
    const messages = [
      eventOf(reportOf(fixture, -3 * 24 * 60, SCHEDULED)),
      eventOf(reportOf(fixture, 47, HALFTIME, { 2: half, 4: half })),
      eventOf(reportOf(fixture, 105, FINISHED, results)),
    ];
    if (random() < 0.2) messages.push(...goalMessages(fixture, results, end));
    if (random() < 0.1) {
      const corrected = {
        ...results,
        2: [end[1], end[0]] as const,
        5: [end[1] - half[0], end[0] - half[1]] as const,
      };
      messages.push(eventOf(reportOf(fixture, 3 * 24 * 60, FINISHED, corrected)));
    }
    return messages;
  });
  return messages.sort((a, b) => a.ut - b.ut);
}

/** Returns the timeline of a match: the goals of its final score, and a card. */
function goalMessages(
  fixture: GeneratedMatch,
  results: MatchReport['results'],
  end: readonly [number, number],
): NormalizedMessage[] {
  const at = (minutes: number) => reportOf(fixture, minutes, FINISHED, results);
  const scorer = (team: number, shirt: number) => ({
    participant_id: team,
    subparticipant_id: team * 100 + shirt,
    subparticipant_name: `Player ${team}-${shirt}`,
    event_status_id: 34,
    event_time: '60:00',
    additional_info: { assistant_id: team * 100 + 9, assistant_name: `Player ${team}-9` },
  });
  const start = incidentOf(at(0), { id: `5-${fixture.event}-0`, incident_id: 429, event_time: '00:00' });
  const card = { id: `5-${fixture.event}-1`, incident_id: 419, ...scorer(fixture.home.id, 4) };
  const scored = [fixture.home.id, fixture.away.id].flatMap((team, side) =>
    Array.from({ length: end[side] ?? 0 }, (_, n) =>
      incidentOf(at(106 + n), {
        id: `5-${fixture.event}-${2 + side}${n}`,
        incident_id: 413,
        ...scorer(team, n),
      }),
    ),
  );
  return [start, incidentOf(at(30), card), ...scored];
}

/** Returns the items in random order; the same seed gives the same order. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}
