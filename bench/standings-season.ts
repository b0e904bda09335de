/** Generated leagues of 20 teams, as results and as live messages: the load of the bench of standings. */
import { seasonKey } from '#domain/match-result.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import type { Cause, MatchResult, ResultTeam } from '#records/types.ts';
import { partitionOf } from './backlog.ts';

const TEAMS = 20;
/** Matches of a season: every two teams meet twice. */
export const MATCHES = TEAMS * (TEAMS - 1);
const COMPETITION = 9_000;
const EPOCH = 1_790_000_000;
const WEEK = 7 * 86_400;

/** Returns the competition, season, stage and group of a season's matches. */
function placeOf(season: number) {
  return { competition_id: COMPETITION, season_id: 9_100 + season, stage_id: 9_500 + season, group_id: null };
}

/** Returns a team of a season. */
function teamOf(season: number, at: number): ResultTeam {
  const id = season * 100 + at + 1;
  return { id, name: `Town ${id}`, acronym: 'TWN', area_id: 144, area_name: 'Poland' };
}

/** Returns the partition of a season. */
export function partitionOfSeason(season: number): number {
  return partitionOf('match-results', seasonKey(placeOf(season)));
}

/**
 * Returns a pair of a round by the circle method: the last team stays, the others rotate; the second half of a season
 * swaps the sides.
 */
function pairOf(round: number, pair: number): [home: number, away: number] {
  const others = TEAMS - 1;
  const one = pair === 0 ? others : (round + pair) % others;
  const other = (round - pair + 2 * TEAMS * others) % others;
  return round % (2 * others) < others ? [one, other] : [other, one];
}

const UNKNOWN = {
  score: null,
  first_half: null,
  second_half: null,
  goals: null,
  cards: null,
  shoot_out: null,
};

/** Returns a published result in a state. The same numbers give the same result. */
export function resultOf(season: number, match: number, state: 'to_come' | 'playing' | 'over'): MatchResult {
  const round = Math.floor(match / (TEAMS / 2));
  const [home, away] = pairOf(round, match % (TEAMS / 2));
  const kickOff = EPOCH + round * WEEK + (match % (TEAMS / 2)) * 3_600;
  const score = { home: (match * 7) % 4, away: (match * 5) % 3 };
  const cause: Cause = {
    topic: 'normalized-messages',
    partition: 0,
    offset: match,
    ut: kickOff + (state === 'to_come' ? -WEEK : state === 'playing' ? 60 : 7_200),
    received_at: kickOff * 1_000,
    message_id: `${season}-${match}-${state}`,
  };
  const team = teamOf(season, home);
  const common = {
    event_id: 8_000_000 + season * 1_000 + match,
    removed: false,
    ...placeOf(season),
    round_id: round + 1,
    start_date: new Date(kickOff * 1_000).toISOString().slice(0, 16).replace('T', ' '),
    home: team,
    away: teamOf(season, away),
    cause,
  };
  if (state === 'to_come')
    return { ...common, ...UNKNOWN, version: 1, status_id: 1, status_type: 'scheduled' };
  if (state === 'playing') {
    const nil = { home: 0, away: 0 };
    return { ...common, ...UNKNOWN, score: nil, version: 2, status_id: 33, status_type: 'live' };
  }
  const scorer = { id: team.id * 100 + (match % 11), name: `Player ${team.id}-${match % 11}` };
  return {
    ...common,
    version: 3,
    status_id: 11,
    status_type: 'finished',
    score,
    shoot_out: null,
    first_half: score,
    second_half: { home: 0, away: 0 },
    goals: Array.from({ length: score.home }, () => ({
      kind: 'goal' as const,
      team_id: team.id,
      player: scorer,
      assistant: null,
    })),
    cards: [{ kind: 'yellow' as const, team_id: team.id, player: scorer, attribute_ids: [] }],
  };
}

/** A live match of a season, reported by webhooks: every tenth message is a goal. */
export class LiveGoals {
  readonly eventId: number;
  readonly season: number;
  readonly #sides: readonly [ResultTeam, ResultTeam];
  #published = 0;
  goals = 0;

  constructor(season: number, pair: number) {
    this.season = season;
    this.eventId = 8_900_000 + season * 100 + pair;
    this.#sides = [teamOf(season, 2 * pair), teamOf(season, 2 * pair + 1)];
  }

  /** Returns the next message. `goal` is the new number of goals of the match; null for a message without a goal. */
  next(): { readonly body: Buffer; readonly goal: number | null } {
    const at = this.#published;
    this.#published += 1;
    const isGoal = at % 10 === 9;
    if (isGoal) this.goals += 1;
    const [home, away] = this.#sides;
    const ut = EPOCH + 52 * WEEK + at * 3;
    const side = (team: ResultTeam, counter: number) => ({
      ...team,
      counter,
      short_name: team.name,
      stats: [],
      results: [],
    });
    const { competition_id, season_id, stage_id } = placeOf(this.season);
    const incident = {
      id: `5-${this.eventId * 1_000 + at}`,
      incident_id: at === 0 ? 429 : isGoal ? 413 : 408,
      confirmation: 'confirmed',
      participant_id: home.id,
      subparticipant_id: home.id * 100,
      subparticipant_name: `Player ${home.id}-0`,
      ut,
    };
    const event = {
      id: this.eventId,
      name: `${home.name} - ${away.name}`,
      competition_id,
      season_id,
      stage_id,
      round_id: 39,
      start_date: '2027-09-20 15:00',
      clock_time: at * 3,
      participants: [side(home, 1), side(away, 2)],
    };
    const message = incidentMessage({ id: this.eventId * 1_000 + at, ut }, incident, event);
    return { body: Buffer.from(JSON.stringify([message])), goal: isGoal ? this.goals : null };
  }
}
