import type { Access } from '#contract/rest/provider.ts';

/** Competitions that a server serves; null is all of them. */
export type Served = ReadonlySet<number> | null;

/** The value of `SERVE_COMPETITIONS`. */
export function servedOf(competitions: readonly number[]): Served {
  return competitions.length === 0 ? null : new Set(competitions);
}

const narrowed = new WeakMap<Access, { readonly served: Served; readonly access: Access }>();

/** What a contract covers of what a server serves. The same object for the same contract: answers are kept by it. */
export function servedAccess(access: Access, served: Served): Access {
  if (served === null) return access;
  const known = narrowed.get(access);
  if (known?.served === served) return known.access;
  const { competitions: contracted } = access;
  const competitions = contracted === null ? served : new Set([...contracted].filter((id) => served.has(id)));
  const narrow = { ...access, competitions, contracted };
  narrowed.set(access, { served, access: narrow });
  return narrow;
}
