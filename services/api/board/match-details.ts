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

/** Joins the incidents of a substitution (spec, 450 and 452) at the later one: those of one team and time, in the order of ids. */
function pairSubstitutions(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const unpaired = new Map<string, TimelineEntry[]>();
  const partners = new Map<string, TimelineEntry>();
  const dropped = new Set<string>();
  for (const entry of timeline) {
    const { incident_id: type } = entry;
    const isSubstitution = type === INCIDENT.substitutionIn || type === INCIDENT.substitutionOut;
    if (!isSubstitution || entry.void !== null || entry.time === null) continue;
    const key = `${entry.participant_id} ${entry.time}`;
    const waiting = unpaired.get(key) ?? [];
    const at = waiting.findIndex(({ incident_id }) => incident_id !== entry.incident_id);
    const [partner] = at === -1 ? [] : waiting.splice(at, 1);
    if (partner === undefined) {
      unpaired.set(key, [...waiting, entry]);
      continue;
    }
    partners.set(entry.id, partner);
    dropped.add(partner.id);
  }
  return timeline.flatMap((entry) => {
    if (dropped.has(entry.id)) return [];
    const partner = partners.get(entry.id);
    return partner === undefined ? [entry] : [paired(entry, partner)];
  });
}

function paired(entry: TimelineEntry, partner: TimelineEntry): TimelineEntry {
  const [comes, leaves] = entry.incident_id === INCIDENT.substitutionIn ? [entry, partner] : [partner, entry];
  return {
    ...entry,
    name: 'Substitution',
    player: comes.player,
    replaces: leaves.player ?? 'unknown player',
  };
}
