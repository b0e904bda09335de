import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { seeded } from '../seed.ts';

const FIRST_KICK_OFF = Date.UTC(2026, 7, 1, 15) / 1_000;
const WEEK = 7 * 86_400;

const SCHEDULED = { status_id: 1, status_type: 'scheduled' };
const HALFTIME = { status_id: 9, status_type: 'live' };
const FINISHED = { status_id: 11, status_type: 'finished' };

type MatchLevels = {
  readonly competition: number;
  readonly season: number;
  readonly stage: number | null;
  readonly group: number | null;
};

/** Results by id, home and away. */
type Results = Readonly<Record<number, readonly [home: number, away: number]>>;

type Incident = Readonly<Record<string, unknown>>;

/** A match of a generated season. Teams are numbered from 1. */
type Fixture = {
  readonly event: number;
  readonly round: number;
  readonly kickOff: number;
  readonly teams: readonly [home: number, away: number];
};

/** Returns the fixtures of a season in which every two teams meet twice, one round a week. */
function fixtures(teams: number, firstEvent: number): Fixture[] {
  const rounds = teams - 1;
  const made: Fixture[] = [];
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (let pair = 0; pair < teams / 2; pair += 1) {
      // The circle method: the last team stays, the others rotate.
      const one = 1 + (pair === 0 ? teams - 1 : (round + pair) % rounds);
      const other = 1 + (pair === 0 ? round % rounds : (round - pair + 2 * rounds) % rounds);
      made.push({
        event: firstEvent + made.length,
        round: round + 1,
        kickOff: FIRST_KICK_OFF + round * WEEK,
        teams: round < rounds === (pair % 2 === 0) ? [one, other] : [other, one],
      });
    }
  }
  return made;
}

/**
 * Returns the messages of a whole season, oldest first. Every match is reported before its start, at half-time and at
 * its end, a few with their goals; one result in ten is corrected days later. The same seed gives the same results.
 * `firstEvent`: the id of the first match.
 */
export function seasonMessages(
  levels: MatchLevels,
  teams: number,
  firstEvent: number,
  seed: number,
): NormalizedMessage[] {
  const random = seeded(seed);
  const goals = () => Math.floor(random() * random() * 5);
  const messages = fixtures(teams, firstEvent).flatMap((fixture) => {
    const half = [goals(), goals()] as const;
    const end = [half[0] + goals(), half[1] + goals()] as const;
    const results = { 2: end, 4: half, 5: [end[0] - half[0], end[1] - half[1]] as const };
    const report = (minutes: number, status: object, of: Results = results, incident?: Incident) =>
      reportOf(levels, fixture, { minutes, status, results: of, incident });
    const messages = [
      report(-3 * 24 * 60, SCHEDULED, {}),
      report(47, HALFTIME, { 2: half, 4: half }),
      report(105, FINISHED),
    ];
    if (random() < 0.2) {
      messages.push(report(0, FINISHED, results, KICK_OFF));
      messages.push(report(30, FINISHED, results, { id: '5-1', incident_id: 419, ...player(fixture, 0, 4) }));
      for (const side of [0, 1] as const)
        for (let n = 0; n < end[side]; n += 1)
          messages.push(
            report(106 + n, FINISHED, results, { id: `5-${2 + side}${n}`, ...player(fixture, side, n) }),
          );
    }
    if (random() < 0.1) {
      const [home, away] = end;
      const corrected = { ...results, 2: [away, home], 5: [away - half[0], home - half[1]] } as const;
      messages.push(report(3 * 24 * 60, FINISHED, corrected));
    }
    return messages;
  });
  return messages.sort((a, b) => a.ut - b.ut);
}

function player({ teams }: Fixture, side: 0 | 1, shirt: number): Incident {
  const team = teams[side];
  return {
    confirmation: 'confirmed',
    participant_id: team,
    subparticipant_id: team * 100 + shirt,
    subparticipant_name: `Player ${team}-${shirt}`,
    event_status_id: 34,
    event_time: '60:00',
    additional_info: { assistant_id: team * 100 + 9, assistant_name: `Player ${team}-9` },
  };
}

/** Returns a message about a match, `minutes` after its kick-off; with `incident` about that incident. */
function reportOf(
  { competition, season, stage, group }: MatchLevels,
  { event, round, kickOff, teams }: Fixture,
  told: { minutes: number; status: object; results: Results; incident: Incident | undefined },
): NormalizedMessage {
  const { minutes, status, results, incident } = told;
  const ut = kickOff + minutes * 60;
  const names = teams.map((id) => `Team ${String(id).padStart(2, '0')}`);
  const record = {
    id: event,
    name: names.join(' - '),
    competition_id: competition,
    season_id: season,
    stage_id: stage,
    group_id: group,
    round_id: round,
    start_date: new Date(kickOff * 1_000).toISOString().slice(0, 16).replace('T', ' '),
    participants: teams.map((id, at) => ({
      id,
      counter: at + 1,
      name: names[at],
      results: Object.entries(results).map(([of, value]) => ({ id: Number(of), value: String(value[at]) })),
    })),
    ...status,
  };
  const head = { id: `${event}-${ut}-${incident?.id ?? 'event'}`, ut };
  const message =
    incident === undefined ? eventMessage(head, record) : incidentMessage(head, incident, record);
  return normalized(message, ut * 1_000);
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
