import { RestError } from '#contract/rest/errors.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isServed } from '../store/served.ts';

/** Margin of queries by `timestamp`, seconds: another replica may have shown a change a little earlier. */
const MARGIN_SECONDS = 10;

/** Returns the time from which a query by `timestamp` finds changes, Unix seconds. */
export function since<T extends number | undefined>(timestamp: T): T {
  return (timestamp === undefined ? undefined : timestamp - MARGIN_SECONDS) as T;
}

/** Whether a client may see a competition. An unknown one (null) is seen only by clients that may see all. */
export function isCovered({ competitions }: Access, competitionId: number | null): boolean {
  return isServed(competitions, competitionId);
}

/** Throws `forbidden` if a competition is not in the contract, `not_served` if it is but this server does not serve it. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (isCovered(access, competitionId)) return;
  const { contracted } = access;
  if (contracted === undefined || !isCovered({ ...access, competitions: contracted }, competitionId))
    throw new RestError('FORBIDDEN');
  throw notFound(access);
}

/** Returns the error for an unknown id; `not_served` if another server may know it. */
export function notFound(access: Access): RestError {
  const served = servedWords(access);
  return served === null
    ? new RestError('NOT_FOUND')
    : new RestError('NOT_SERVED', `Not found here: this server serves ${served}`);
}

/** Maximum number of competitions that a message lists. */
const MAX_NAMED = 50;

/**
 * Describes what a server serves of a contract, such as `only the competitions 52, 61`; null if it serves all. Names no
 * competition outside the contract.
 */
export function servedWords({
  competitions,
  contracted,
}: Pick<Access, 'competitions' | 'contracted'>): string | null {
  if (contracted === undefined || competitions === null) return null;
  const whose = contracted === null ? '' : ' of your contract';
  if (competitions.size === 0) return `none of the competitions${whose}`;
  const ids = [...competitions].sort((a, b) => a - b);
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const those = `only the competition${ids.length === 1 ? '' : 's'}`;
  return `${whose === '' ? those : `of your contract ${those}`} ${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** Returns a cache key: equal for clients that may see the same competitions and get the same refusals for others. */
export function accessKey({ competitions, contracted }: Access): string {
  return [competitions, contracted].map(idsKey).join('/');
}

function idsKey(ids: ReadonlySet<number> | null | undefined): string {
  return ids == null ? '*' : [...ids].sort((a, b) => a - b).join(',');
}
