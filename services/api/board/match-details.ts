import type { Coverage, ScoreSource } from '#topics/generated/types.ts';
import { boardMatch } from './board-match.ts';
import { type Course, courseOf } from './course.ts';
import { type HistoryEntry, historyOf } from './history.ts';
import type { ReadView } from './scoped-view.ts';
import type { BoardMatch } from './shown/match.ts';
import { type TimelineEntry, timelineOf } from './story.ts';
import { pairSubstitutions } from './substitutions.ts';

/** Everything that the page of a match shows, and the answer of `/board/matches/{id}`. */
export type MatchDetails = {
  readonly match: BoardMatch;
  readonly home_id: number | null;
  readonly away_id: number | null;
  readonly coverage: Coverage;
  readonly source: ScoreSource;
  /** The provider's flag as JSON text; null where it was not reported. */
  readonly verified_result: string | null;
  /** Important incidents in order of id. */
  readonly timeline: readonly TimelineEntry[];
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Guard and score over time; null where nothing of them is known. */
  readonly course: Course | null;
};

/** As at `now`, Unix seconds; null for an event that is unknown, or was deleted. */
export function matchDetails(view: ReadView, eventId: number, now: number): MatchDetails | null {
  const state = view.state(eventId);
  if (state === null) return null;
  const story = view.story(eventId);
  return {
    match: boardMatch(state, view, now),
    home_id: state.home?.id ?? null,
    away_id: state.away?.id ?? null,
    coverage: state.coverage,
    source: state.source,
    verified_result: state.verified_result,
    timeline: pairSubstitutions(timelineOf(state, view.incidents(eventId), story)),
    history: historyOf(story),
    course: courseOf(story, state.cause.ut),
  };
}
