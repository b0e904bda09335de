import { INCIDENT } from '#soccer/soccer.ts';
import { boardMatch } from '#story/board-match.ts';
import { feedPast, matchCourse } from '#story/course.ts';
import { historyOf } from '#story/history.ts';
import { type TimelineEntry, timelineOf } from '#story/incidents.ts';
import type { ReadView } from './scoped-view.ts';

/** The content of the page of a match, and the answer of `/board/matches/{id}`. */
export type MatchDetails = NonNullable<ReturnType<typeof matchDetails>>;

/** Returns the details of a match; null when the event is unknown or deleted. `now`: Unix seconds. */
export function matchDetails(view: ReadView, eventId: number, now: number) {
  const state = view.matches.state(eventId);
  if (state === null) return null;
  const story = view.incidentLog.story(eventId);
  const past = {
    feed: feedPast(view.health.past(eventId), now * 1000),
    halts: view.halts.records(state),
  };
  const course = matchCourse(story, past, now * 1000);
  return {
    match: boardMatch(state, view, now),
    home_id: state.home?.id ?? null,
    away_id: state.away?.id ?? null,
    coverage: state.coverage,
    /** Ids of incidents that the provider's latest list omits. */
    missing: state.missing,
    unread: state.unread,
    /** Unix seconds of the latest message that could not be read at all; null: none. */
    unread_at: state.unread_at,
    /** The provider's flag as JSON text; null: not reported. */
    verified_result: state.verified_result,
    timeline: pairSubstitutions(timelineOf(state, view.incidentLog.shown(eventId), story)),
    history: historyOf(story, past, course),
    course,
  };
}

/** Shows a substitution (spec, 450 and 452) as its player in and the one out: of one team and time, in the order of ids. */
function pairSubstitutions(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const leaving = new Map<TimelineEntry, TimelineEntry>();
  const known = timeline.filter((entry) => entry.void === null && entry.time !== null);
  for (const members of Map.groupBy(known, (entry) => `${entry.participant_id} ${entry.time}`).values()) {
    const [comes, leaves] = [INCIDENT.substitutionIn, INCIDENT.substitutionOut].map((type) =>
      members.filter(({ incident_id }) => incident_id === type),
    ) as [TimelineEntry[], TimelineEntry[]];
    for (const [n, entry] of comes.entries()) if (leaves[n] !== undefined) leaving.set(entry, leaves[n]);
  }
  const paired = new Set(leaving.values());
  return timeline.flatMap((entry) => {
    if (paired.has(entry)) return [];
    const left = leaving.get(entry);
    if (left === undefined) return [entry];
    return [{ ...entry, name: 'Substitution', replaces: left.player ?? 'unknown player' }];
  });
}
