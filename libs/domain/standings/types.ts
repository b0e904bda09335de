import type { Cause, MatchResult, Standings, StandingsClub, StandingsGroup } from '#records/types.ts';

/** The last known result of a match, with the fields that the tables of its season read, and the offset of the message that caused it. */
export type SeasonResult = Omit<
  MatchResult,
  'competition_id' | 'season_id' | 'kick_off' | 'cause' | 'shoot_out'
> &
  Partial<Pick<MatchResult, 'shoot_out'>> & { readonly cause: Pick<Cause, 'offset'> };

/** The value of a column: a number; a text such as `W,D`; null for none, such as an average over no match. */
export type Value = number | string | null;

/** The values of a row by column code; a missing code is an unknown value. */
export type Values = ReadonlyMap<string, Value>;

/** A row before it becomes part of a table. */
export type RankedRow = {
  /** The team or person; null in rows of results. */
  readonly id: number | null;
  readonly name: string | null;
  readonly club: StandingsClub | null;
  readonly rank: number;
  /** The position before the last round of the team, or of the person's club; null if it had none. */
  readonly last_rank: number | null;
  readonly values: Values;
};

/** Returns the groups of a table on a day (YYYY-MM-DD): who shows a table knows the day, who derives it does not. */
export function groupsOn(
  { groups, later }: Pick<Standings, 'groups' | 'later'>,
  day: string,
): StandingsGroup[] {
  return later.findLast((one) => one.day <= day)?.groups ?? groups;
}

/** Returns the day in UTC as YYYY-MM-DD. `at`: Unix milliseconds. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
