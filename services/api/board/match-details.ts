import { boardMatch } from '#story/board-match.ts';
import { feedPast, matchCourse } from '#story/course.ts';
import { historyOf } from '#story/history.ts';
import { timelineOf } from '#story/incidents.ts';
import { pairSubstitutions } from '#story/substitutions.ts';
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
