import type { Access } from '#contract/rest/provider.ts';

/** Competitions that a server serves; null is all of them. */
export type Served = ReadonlySet<number> | null;

/** Whether a competition is among these; an unknown one is in no list. */
export function isServed(competitions: Served, competitionId: number | null): boolean {
  return competitions === null || (competitionId !== null && competitions.has(competitionId));
}

/** The value of `SERVE_COMPETITIONS`. */
export function servedOf(competitions: readonly number[]): Served {
  return competitions.length === 0 ? null : new Set(competitions);
}

/** What a contract covers of what a server serves. */
export function servedAccess(access: Access, served: Served): Access {
  if (served === null) return access;
  const { competitions: contracted } = access;
  const competitions = contracted === null ? served : new Set([...contracted].filter((id) => served.has(id)));
  return { ...access, competitions, contracted };
}
