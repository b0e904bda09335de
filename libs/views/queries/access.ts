import { RestError } from '#contract/rest/errors.ts';
import type { Access } from '#contract/rest/provider.ts';

/** Reads by `timestamp` start this many seconds earlier: another replica may have shown a change a little earlier. */
const SETTLE_SECONDS = 10;

/** The second from which changes are returned to a reader by `timestamp`. */
export function since(timestamp: number): number;
export function since(timestamp: number | null): number | null;
export function since(timestamp: number | null): number | null {
  return timestamp === null ? null : timestamp - SETTLE_SECONDS;
}

/** Whether a contract covers a competition; an unknown competition is in no list. */
export function isCovered({ competitions }: Access, competitionId: number | null): boolean {
  return competitions === null || (competitionId !== null && competitions.has(competitionId));
}

/** Throws `forbidden` where a competition is not in the contract. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (!isCovered(access, competitionId)) throw new RestError('FORBIDDEN');
}

const keys = new WeakMap<Access, string>();

/** The same text for clients that may see the same competitions. */
export function accessKey(access: Access): string {
  let key = keys.get(access);
  if (key === undefined) {
    const { competitions } = access;
    key = competitions === null ? '*' : [...competitions].sort((a, b) => a - b).join(',');
    keys.set(access, key);
  }
  return key;
}
