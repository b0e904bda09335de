import type { Access } from '#contract/rest/provider.ts';
import { ids } from '#service/config.ts';

/** Settings of every process that answers from views. */
export const viewSettings = {
  SERVE_COMPETITIONS: ids(0)
    .prefault('')
    .describe(
      'Competitions to serve, ids separated by commas; matches and tables of others are not stored. Empty: all.',
    ),
};

/** Ids of the competitions that a server serves; null means all. */
export type ServedCompetitions = ReadonlySet<number> | null;

/** Whether a competition is served. An unknown one (null) is served only if all are. */
export function isServed(competitions: ServedCompetitions, competitionId: number | null): boolean {
  return competitions === null || (competitionId !== null && competitions.has(competitionId));
}

/** Returns the served competitions of a value of `SERVE_COMPETITIONS`; none in it means all. */
export function servedOf(competitions: readonly number[]): ServedCompetitions {
  return competitions.length === 0 ? null : new Set(competitions);
}

/** Returns the access of a client limited to the competitions that a server serves. */
export function servedAccess(access: Access, served: ServedCompetitions): Access {
  if (served === null) return access;
  const { competitions: contracted } = access;
  const competitions = contracted === null ? served : new Set([...contracted].filter((id) => served.has(id)));
  return { ...access, competitions, contracted };
}
