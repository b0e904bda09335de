/** Which events a query asks for, of what may be seen. */
import type { Access, EventsQuery, LivescoreQuery } from '#contract/rest/provider.ts';
import type { EventRow, MatchView } from '../store/matches.ts';
import { Conditions } from '../store/sql.ts';
import { notFound, requireAccess, since } from './access.ts';
import type { CompetitionStructure } from './places.ts';

const POSTPONED = 5;

/** The event, where it is one and may be seen. Throws `not_found`, `not_served`, `forbidden`. */
export function visibleEvent(matches: MatchView, id: number, access: Access): EventRow {
  const row = matches.find(id);
  if (row === undefined) throw notFound(access);
  requireAccess(access, row.competition_id);
  return row;
}

/** What `events.index` asks for, of what may be seen. Throws `forbidden` for a place that is outside the contract. */
export function eventConditions(
  query: EventsQuery,
  places: CompetitionStructure,
  access: Access,
  events: 'standing' | 'all' = 'standing',
): Conditions {
  const { venueType, participantId } = query;
  if (query.competitionId !== null) requireAccess(access, query.competitionId);
  if (query.seasonId !== null) requireAccess(access, places.competitionOf('season', query.seasonId));
  if (query.stageId !== null) requireAccess(access, places.competitionOf('stage', query.stageId));
  const either = '(home_id = ? OR away_id = ?)';
  return shownTo(access, events)
    .where('sport_id = ?', query.sportId)
    .where('competition_id = ?', query.competitionId)
    .where('season_id = ?', query.seasonId)
    .where('stage_id = ?', query.stageId)
    .where('status_type = ?', query.statusType)
    .where(venueType === null ? either : `${venueType}_id = ?`, participantId)
    .where('start >= ?', query.dateFrom)
    .where('start <= ?', query.dateTo)
    .where('changed >= ?', since(query.timestamp));
}

/** What `livescore.index` asks for, of what may be seen. */
export function boardConditions(
  query: LivescoreQuery,
  access: Access,
  events: 'standing' | 'all' = 'standing',
): Conditions {
  const orLive = query.holdsNow ? " OR status_type = 'live'" : '';
  const conditions = shownTo(access, events)
    .where(`(start >= ?${orLive})`, query.dateFrom)
    .where(`(start <= ?${orLive})`, query.dateTo)
    .where('sport_id = ?', query.sportId)
    .where('status_type = ?', query.statusType)
    .where('changed >= ?', since(query.timestamp));
  // Whoever follows the changes has to learn that a match is postponed.
  if (!query.showPostponed && query.timestamp === null) conditions.also(`status_id IS NOT ${POSTPONED}`);
  return conditions;
}

/** All events that may be seen: those that stand, or with those that were deleted. */
export function shownTo(access: Access, events: 'standing' | 'all' = 'standing'): Conditions {
  const conditions = new Conditions().among('competition_id', access.competitions);
  return events === 'all' ? conditions : conditions.also('hidden = 0');
}
