import type { MatchResult, ResultTeam } from '#topics/generated/types.ts';

/** All that the tables of a season need of a match, as last known. */
export type PlacedResult = Omit<MatchResult, 'competition_id' | 'season_id' | 'cause'>;

/** The same within a group. */
export type StandingsMatch = Omit<PlacedResult, 'stage_id' | 'group_id'>;

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
  readonly club: Pick<ResultTeam, 'id' | 'name'> | null;
  readonly rank: number;
  /** The position before the last round of the team, or of the person's club; null where it had none. */
  readonly last_rank: number | null;
  readonly values: Values;
};
