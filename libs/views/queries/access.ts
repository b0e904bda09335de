import { RestError } from '#contract/rest/errors.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isServed } from '../store/served.ts';

/** Reads by `timestamp` start this many seconds earlier: another replica may have shown a change a little earlier. */
const SETTLE_SECONDS = 10;

/** The second from which changes are returned to a reader by `timestamp`. */
export function since(timestamp: number): number;
export function since(timestamp: number | undefined): number | undefined;
export function since(timestamp: number | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestamp - SETTLE_SECONDS;
}

/** Whether a contract covers a competition; an unknown competition is in no list. */
export function isCovered({ competitions }: Access, competitionId: number | null): boolean {
  return isServed(competitions, competitionId);
}

/** Throws `forbidden` where a competition is not in the contract, `not_served` where it is, and not among those served here. */
export function requireAccess(access: Access, competitionId: number | null): void {
  if (isCovered(access, competitionId)) return;
  const { contracted } = access;
  if (contracted === undefined || !isCovered({ ...access, competitions: contracted }, competitionId))
    throw new RestError('FORBIDDEN');
  throw notFound(access);
}

/** What is thrown for an unknown id: it may be known to a server of other competitions. */
export function notFound(access: Access): RestError {
  const served = servedWords(access);
  return served === null
    ? new RestError('NOT_FOUND')
    : new RestError('NOT_SERVED', `Not found here: this server serves ${served}`);
}

/** Longer lists are cut in what people read. */
const MAX_NAMED = 50;

/** What a server serves of a contract, as `only the competitions 52, 61`; null where it serves all. Names none outside the contract. */
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

const keys = new WeakMap<Access, string>();

/** The same text for clients that may see the same competitions, and are refused others with the same words. */
export function accessKey(access: Access): string {
  let key = keys.get(access);
  if (key === undefined) {
    key = [access.competitions, access.contracted].map(idsKey).join('/');
    keys.set(access, key);
  }
  return key;
}

function idsKey(ids: ReadonlySet<number> | null | undefined): string {
  return ids == null ? '*' : [...ids].sort((a, b) => a - b).join(',');
}
