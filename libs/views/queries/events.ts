/** Conditions of the events that match a query and that the client may see. */
import type { Access, EventsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import { STATUS } from '#soccer/soccer.ts';
import type { EventRow, MatchView } from '../store/matches.ts';
import { Conditions } from '../store/sql.ts';
import type { TreeView } from '../store/tree.ts';
import { notFound, requireAccess, since } from './access.ts';

/** SQL condition: a team, which stands for both `?`, is one of the sides. */
export const PLAYS = '(home_id = ? OR away_id = ?)';

type TimedQuery = Pick<
  EventsQuery,
  'sport_id' | 'status_type' | 'date_from' | 'date_to' | 'timestamp' | 'holdsNow' | 'liveSince'
>;

/** Returns an event that the client may see. Throws `not_found`, `not_served`, `forbidden`. */
export function visibleEvent(matches: MatchView, id: number, access: Access): EventRow {
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
function inTime(query: TimedQuery, access: Access): Conditions {
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

/** Returns the conditions of `livescore.index`. */
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
