/** Which events a query asks for, of what may be seen. */
import type { Access, EventsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import { STATUS } from '#contract/soccer.ts';
import type { EventRow, MatchView } from '../store/matches.ts';
import type { PlaceView } from '../store/places.ts';
import { Conditions } from '../store/sql.ts';
import { notFound, requireAccess, since } from './access.ts';

/** The event, where it is one and may be seen. Throws `not_found`, `not_served`, `forbidden`. */
export function visibleEvent(matches: MatchView, id: number, access: Access): EventRow {
  const row = matches.find(id);
  if (row === undefined) throw notFound(access);
  requireAccess(access, row.competition_id);
  return row;
}

/** What `events.index` asks for, of what may be seen. Throws `forbidden` for a place that is outside the contract. */
export function eventConditions(query: EventsQuery, places: PlaceView, access: Access): Conditions {
  const { competition_id, season_id, stage_id, venue_type } = query;
  if (competition_id !== undefined) requireAccess(access, competition_id);
  if (season_id !== undefined) requireAccess(access, places.competitionOf('season', season_id));
  if (stage_id !== undefined) requireAccess(access, places.competitionOf('stage', stage_id));
  const either = '(home_id = ? OR away_id = ?)';
  return shownTo(access, asked(query))
    .where('sport_id = ?', query.sport_id)
    .where('competition_id = ?', competition_id)
    .where('season_id = ?', season_id)
    .where('stage_id = ?', stage_id)
    .where('status_type = ?', query.status_type)
    .where(venue_type === undefined ? either : `${venue_type}_id = ?`, query.participant_id)
    .where('start >= ?', query.date_from)
    .where('start <= ?', query.date_to)
    .where('changed >= ?', since(query.timestamp));
}

/** What `livescore.index` asks for, of what may be seen. */
export function boardConditions(query: LivescoreQuery, access: Access): Conditions {
  const orLive = query.holdsNow ? " OR status_type = 'live'" : '';
  const conditions = shownTo(access, asked(query))
    .where(`(start >= ?${orLive})`, query.date_from)
    .where(`(start <= ?${orLive})`, query.date_to)
    .where('sport_id = ?', query.sport_id)
    .where('status_type = ?', query.status_type)
    .where('changed >= ?', since(query.timestamp));
  // Whoever follows the changes has to learn that a match is postponed.
  if (query.show_postponed === 'no' && query.timestamp === undefined)
    conditions.also(`status_id IS NOT ${STATUS.postponed}`);
  return conditions;
}

/** All events that may be seen: those that stand, or with those that were deleted. */
export function shownTo(access: Access, events: 'standing' | 'all' = 'standing'): Conditions {
  const conditions = new Conditions().among('competition_id', access.competitions);
  return events === 'all' ? conditions : conditions.also('hidden = 0');
}

/** Queries for changes return deleted events too (see `item_status`). */
function asked({ timestamp }: { readonly timestamp?: number | undefined }): 'standing' | 'all' {
  return timestamp === undefined ? 'standing' : 'all';
}
