/** The state on which two systems must agree when they received the same matches, by any source. Pure. */
import type { MatchIncident, MatchState } from '#records/types.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';

/** What a match has without traces of its delivery: versions, causes, times of fields, bytes of bodies. */
const OF_MATCH: readonly (keyof MatchState)[] = [
  'score',
  'firm',
  'shoot_out',
  'status_id',
  'status_type',
  'verified_result',
  'coverage',
  'under_review',
  'counting_goals',
  'void_goals',
  'orphans',
  'removed',
  'anomalies',
];
const OF_INCIDENT: readonly (keyof NonNullable<MatchIncident['incident']>)[] = [
  'incident_id',
  'confirmation',
  'participant_id',
  'event_status_id',
  'event_time',
  'parent_id',
  'ut',
];

function picked<T extends object>(of: T, fields: readonly (keyof T)[]): object {
  return Object.fromEntries(fields.map((field) => [field, of[field]]));
}

/** Returns the essence of every match, by event id. */
export function essence({ states, incidents }: PipelineOutput): Record<number, object> {
  const ofEvents = Map.groupBy(incidents.values(), ({ event_id }) => event_id);
  return Object.fromEntries(
    [...states].map(([event, state]) => {
      const ofEvent = (ofEvents.get(event) ?? []).flatMap(({ id, removed, incident }) =>
        // Only a delete was published: the incident never existed.
        incident === null ? [] : [{ id, removed, ...picked(incident, OF_INCIDENT) }],
      );
      const [home, away] = [state.home?.id, state.away?.id];
      const sorted = ofEvent.sort((a, b) => (a.id < b.id ? -1 : 1));
      return [event, { ...picked(state, OF_MATCH), home, away, incidents: sorted }];
    }),
  );
}
