import type { Score } from '#topics/generated/types.ts';

/** A side of a match, or a club. */
export type Team = {
  readonly id: number;
  readonly name: string | null;
  readonly acronym?: string | null;
  readonly area_id?: number | null;
  readonly area_name?: string | null;
};

/** A person; null where the provider has not named one (yet). */
export type Person = { readonly id: number; readonly name: string | null };

/** A goal in play that counts: neither of the shoot-out nor void. */
export type ScoredGoal = {
  readonly kind: 'goal' | 'penalty' | 'own_goal';
  /** The scorer's team; of an own goal, the team it counts against. */
  readonly team_id: number;
  readonly player: Person | null;
  readonly assistant: Person | null;
};

/** A card that stands. A second yellow card gives a yellow and a red one. */
export type ShownCard = {
  readonly kind: 'yellow' | 'red';
  readonly team_id: number;
  readonly player: Person | null;
};

/** All that tables need of a match, as last known. */
export type StandingsMatch = {
  readonly event_id: number;
  /** Of two results of one event the later version counts; results of one version are equal. */
  readonly version: number;
  /** The match no longer belongs to this group: it was deleted, or moved to another. */
  readonly removed: boolean;
  readonly round_id: number | null;
  /** YYYY-MM-DD HH:MM, as the provider gives it. */
  readonly start_date: string | null;
  readonly status_id: number | null;
  readonly status_type: string | null;
  readonly home: Team | null;
  readonly away: Team | null;
  /** Result 2; null is unknown, never zero. */
  readonly score: Score | null;
  readonly first_half: Score | null;
  readonly second_half: Score | null;
  /** Null: not known individually. */
  readonly goals: readonly ScoredGoal[] | null;
  readonly cards: readonly ShownCard[] | null;
};

/** A cell: a count is a number, a ratio text with two decimals, '' where the divisor is 0. */
export type Value = number | string;

/** The values of a row by column code; a missing code is an unknown value. */
export type Values = ReadonlyMap<string, Value>;

/** A row before it becomes part of a table. */
export type UnplacedRow = {
  /** Null for the rows of results, which have none. */
  readonly id: number | null;
  readonly name: string | null;
  /** The club of a person. */
  readonly club: Team | null;
  readonly rank: number;
  /** The position before the last round of the team, or of the person's club; null where it had none. */
  readonly last_rank: number | null;
  readonly values: Values;
};
