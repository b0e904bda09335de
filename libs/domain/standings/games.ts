import type { ResultCard, ResultGoal, ResultTeam, Score } from '#records/types.ts';
import { hasResult } from '../message-key.ts';
import type { CompetitionRules } from './competition-rules.ts';
import type { SeasonResult } from './types.ts';

/** A match between two known teams, as the rules count it. */
export type Game = {
  readonly eventId: number;
  readonly round: number | null;
  /** YYYY-MM-DD HH:MM; '' if unknown, which sorts first. */
  readonly start: string;
  readonly home: ResultTeam;
  readonly away: ResultTeam;
  /** `played` counts in every table, `playing` in the live one alone, `to_come` and `void` nowhere. */
  readonly state: 'played' | 'playing' | 'to_come' | 'void';
  /** Null if the match does not count, or its score is unknown. */
  readonly score: Score | null;
  /** Whether both teams lose; `score` is then that of each team from its own view, as if it were at home. */
  readonly bothLose: boolean;
  /** Goals of the shoot-out after a draw; null where none is known. */
  readonly shootOut: Score | null;
  readonly firstHalf: Score | null;
  readonly secondHalf: Score | null;
  readonly goals: readonly ResultGoal[] | null;
  readonly cards: readonly ResultCard[] | null;
};

/** The reasons why a match, or a part of it, does not count although it should. */
export const FLAG_REASONS = [
  'unknown_participant',
  'unknown_score',
  'unknown_first_half',
  'unknown_second_half',
  'unknown_goals',
  'unknown_scorer',
  'unknown_cards',
  'unknown_carded',
] as const;

export type Flag = { readonly event_id: number; readonly reason: (typeof FLAG_REASONS)[number] };

/** Compares games by kick-off, then by id: oldest first. */
export function compareOrder(a: Pick<Game, 'start' | 'eventId'>, b: Pick<Game, 'start' | 'eventId'>): number {
  return a.start < b.start ? -1 : a.start > b.start ? 1 : a.eventId - b.eventId;
}

function exists({ removed, status_type }: SeasonResult): boolean {
  return !removed && status_type !== 'deleted';
}

/** Reads a result by the rules. Returns null when it is not (or no longer) a match of the group, or its teams are unknown. */
export function readGame(result: SeasonResult, rules: CompetitionRules): Game | null {
  const { event_id, home, away } = result;
  if (!exists(result) || home === null || away === null || home.id === away.id) return null;
  const awarded = rules.awarded.find((award) => award.event_id === event_id);
  const state = isAnnulled(event_id, home, away, rules)
    ? 'void'
    : awarded !== undefined
      ? 'played'
      : stateOf(result);
  const counts = state === 'played' || state === 'playing';
  return {
    eventId: event_id,
    round: result.round_id,
    start: result.start_date ?? '',
    home,
    away,
    state,
    score: !counts ? null : awarded === undefined ? result.score : awardedScore(awarded),
    bothLose: counts && awarded !== undefined && 'both_lose' in awarded,
    shootOut: awarded === undefined ? (result.shoot_out ?? null) : null,
    firstHalf: counts ? result.first_half : null,
    secondHalf: counts ? result.second_half : null,
    goals: counts ? result.goals : null,
    cards: counts ? result.cards : null,
  };
}

function awardedScore(award: CompetitionRules['awarded'][number]): Score {
  if (!('both_lose' in award)) return { home: award.home, away: award.away };
  return { home: award.both_lose.scored, away: award.both_lose.allowed };
}

function isAnnulled(eventId: number, home: ResultTeam, away: ResultTeam, rules: CompetitionRules): boolean {
  if (rules.annulled.includes(eventId)) return true;
  return rules.expelled.some(
    ({ participant_id, results }) =>
      results === 'annulled' && (participant_id === home.id || participant_id === away.id),
  );
}

function stateOf({ status_id, status_type }: SeasonResult): Game['state'] {
  if (status_type === 'live') return 'playing';
  if (status_type === 'finished') return hasResult(status_id, status_type) ? 'played' : 'void';
  return status_type === 'cancelled' ? 'void' : 'to_come';
}

/** Returns the parts of a result that could not be counted. `game`: the result as `readGame` returned it. */
export function flagsOf(result: SeasonResult, game: Game | null): Flag[] {
  const { event_id, status_type } = result;
  const flags: Flag[] = [];
  const flag = (reason: Flag['reason']) => flags.push({ event_id, reason });
  if (!exists(result)) return flags;
  if (game === null) {
    if (status_type === 'finished' || status_type === 'live') flag('unknown_participant');
    return flags;
  }
  if ((game.state === 'played' || game.state === 'playing') && game.score === null) flag('unknown_score');
  if (game.state !== 'played') return flags;
  if (game.firstHalf === null) flag('unknown_first_half');
  if (game.secondHalf === null) flag('unknown_second_half');
  if (game.goals === null) flag('unknown_goals');
  else if (game.goals.some(({ kind, player }) => kind !== 'own_goal' && player === null))
    flag('unknown_scorer');
  if (game.cards === null) flag('unknown_cards');
  else if (game.cards.some(({ player }) => player === null)) flag('unknown_carded');
  return flags;
}
