import { RestError } from '#contract/rest/errors.ts';
import type { Access } from '#contract/rest/provider.ts';

/** Margin of queries by `timestamp`, seconds: another replica may have shown a change a little earlier. */
const MARGIN_SECONDS = 10;

/** Returns the time from which a query by `timestamp` finds changes, Unix seconds. */
export function since(timestamp: number): number;
export function since(timestamp: number | undefined): number | undefined;
export function since(timestamp: number | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestamp - MARGIN_SECONDS;
}

/** Whether a client may see a competition. An unknown one (null) is seen only by clients that may see all. */
export function isCovered({ competitions }: Access, competitionId: number | null): boolean {
  return competitions === null || (competitionId !== null && competitions.has(competitionId));
}

/** Throws `forbidden` if a competition is not in the contract. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (!isCovered(access, competitionId)) throw new RestError('FORBIDDEN');
}

const keys = new WeakMap<Access, string>();

/** Returns a cache key: equal for clients that may see the same competitions. */
export function accessKey(access: Access): string {
  let key = keys.get(access);
  if (key === undefined) {
    const { competitions } = access;
    key = competitions === null ? '*' : [...competitions].sort((a, b) => a - b).join(',');
    keys.set(access, key);
  }
  return key;
}
