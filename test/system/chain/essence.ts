/** The state on which two systems must agree when they received the same matches, by any source. Pure. */
import type { MatchState } from '#records/types.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';

/** A match without traces of its delivery: versions, causes, times of fields, bytes of bodies. */
type Essence = ReturnType<typeof essenceOf>;

/** Returns the essence of every match, by event id. */
export function essence({ states, incidents }: PipelineOutput): Record<number, Essence> {
  const all = [...incidents.values()];
  return Object.fromEntries(
    [...states]
      .sort(([a], [b]) => a - b)
      .map(([id, state]) => [
        id,
        essenceOf(
          state,
          all.filter(({ event_id }) => event_id === id),
        ),
      ]),
  );
}

function essenceOf(state: MatchState, registers: readonly RegisterOf[]) {
  const { score, firm, shoot_out, status_id, status_type, verified_result, coverage, under_review } = state;
  const { counting_goals, void_goals, orphans, removed, anomalies, home, away } = state;
  const incidents = registers.flatMap(({ id, removed: gone, incident }) =>
    // Only a delete was published: the incident never existed.
    incident === null
      ? []
      : [
          {
            id,
            removed: gone,
            type: incident.incident_id,
            confirmation: incident.confirmation,
            participant: incident.participant_id,
            status: incident.event_status_id,
            time: incident.event_time,
            parent: incident.parent_id,
            ut: incident.ut,
          },
        ],
  );
  return {
    score,
    firm,
    shoot_out,
    status_id,
    status_type,
    verified_result,
    coverage,
    under_review,
    counting_goals,
    void_goals,
    orphans,
    removed,
    anomalies,
    home: home?.id,
    away: away?.id,
    incidents: incidents.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

type RegisterOf = PipelineOutput['incidents'] extends ReadonlyMap<string, infer V> ? V : never;

/** Returns transition ids that were published more than once. */
export function publishedTwice({ transitions }: PipelineOutput): string[] {
  const seen = new Set<string>();
  return transitions.flatMap(({ id }) => {
    if (seen.has(id)) return [id];
    seen.add(id);
    return [];
  });
}
