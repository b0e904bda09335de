/** What a client may see: its contract, and the conditions of the events that match a query within it. */
import { RestError } from '#contract/rest/errors.ts';
import type { Access, EventsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import { STATUS } from '#soccer/soccer.ts';
import type { TreeView } from '../store/catalogue.ts';
import type { MatchView } from '../store/matches.ts';
import { isServed } from '../store/served.ts';
import { Conditions } from '../store/sql.ts';

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

const MAX_NAMED = 50;

/** Returns what a server serves of a contract, e.g. `only the competitions 52, 61`, and names no other; null if it serves all. */
export function servedWords({
  competitions,
  contracted,
}: Pick<Access, 'competitions' | 'contracted'>): string | null {
  if (contracted === undefined || competitions === null) return null;
  const whose = contracted === null ? '' : 'of your contract ';
  if (competitions.size === 0) return `none of the competitions ${whose}`.trimEnd();
  const ids = [...competitions].sort((a, b) => a - b);
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const those = `only the competition${ids.length === 1 ? '' : 's'}`;
  return `${whose}${those} ${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** Returns a cache key: equal for clients that may see the same competitions and get the same refusals for others. */
export function accessKey({ competitions, contracted }: Access): string {
  return [competitions, contracted].map((ids) => (ids == null ? '*' : [...ids].sort().join())).join('/');
}

/** SQL condition: a team, which stands for both `?`, is one of the sides. */
export const PLAYS = '(home_id = ? OR away_id = ?)';

/** Returns an event that the client may see. Throws `not_found`, `not_served`, `forbidden`. */
export function visibleEvent(matches: MatchView, id: number, access: Access) {
  const row = matches.find(id);
  if (row === undefined) throw notFound(access);
  requireAccess(access, row.competition_id);
  return row;
}

/** Returns the conditions of `events.index`. Throws `forbidden` or `not_served` for a season or stage that the client may not see. */
export function eventConditions(query: EventsQuery, tree: TreeView, access: Access): Conditions {
  const { competition_id, season_id, stage_id, venue_type } = query;
  if (competition_id !== undefined) requireAccess(access, competition_id);
  if (season_id !== undefined) requireAccess(access, tree.competitionOf('season', season_id));
  if (stage_id !== undefined) requireAccess(access, tree.competitionOf('stage', stage_id));
  return inTime(query, access)
    .where('competition_id = ?', competition_id)
    .where('season_id = ?', season_id)
    .where('stage_id = ?', stage_id)
    .where(venue_type === undefined ? PLAYS : `${venue_type}_id = ?`, query.participant_id);
}

/** SQL condition: a match is in play, given `liveSince` in milliseconds. */
const IN_PLAY = "(status_type = 'live' AND received_at >= ?)";

/** Returns the conditions of sport, status, dates and changes; a window that holds now has every match in play. */
function inTime(query: EventsQuery | LivescoreQuery, access: Access): Conditions {
  const { sport_id, status_type, date_from, date_to, timestamp, holdsNow = false, liveSince } = query;
  const conditions = visibleEvents(access, timestamp !== undefined)
    .where('sport_id = ?', sport_id)
    .where('changed >= ?', since(timestamp));
  const inPlaySince = liveSince * 1000;
  if (status_type === 'live') conditions.also(IN_PLAY, inPlaySince);
  else conditions.where('status_type = ?', status_type);
  const [orInPlay, values] = holdsNow ? [` OR ${IN_PLAY}`, [inPlaySince]] : ['', []];
  if (date_from !== undefined) conditions.also(`(start >= ?${orInPlay})`, date_from, ...values);
  if (date_to !== undefined) conditions.also(`(start <= ?${orInPlay})`, date_to, ...values);
  return conditions;
}

export function boardConditions(query: LivescoreQuery, access: Access): Conditions {
  const conditions = inTime(query, access);
  // A client that follows changes must learn that a match is postponed.
  if (query.show_postponed === 'no' && query.timestamp === undefined)
    conditions.also(`status_id IS NOT ${STATUS.postponed}`);
  return conditions;
}

/** Returns the conditions of all events that the client may see. Queries for changes include deleted ones (`item_status`). */
export function visibleEvents(access: Access, deletedToo = false): Conditions {
  const conditions = new Conditions().among('competition_id', access.competitions);
  return deletedToo ? conditions : conditions.also('hidden = 0');
}
