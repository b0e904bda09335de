import type { Standings, StandingsGroup } from '#records/types.ts';

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
