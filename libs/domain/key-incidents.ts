import type { Incident, KeyIncident } from '#records/types.ts';
import { incidentMinute } from './clock.ts';
import type { EventFacts } from './event-facts.ts';
import { isInShootOut, isRedCard, type Side } from './goal-facts.ts';
import type { GoalTally } from './goals.ts';
import { playerOf } from './incident-details.ts';
import type { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';

/** What of a match says who, when and for whom of an incident. */
export type IncidentContext = {
  readonly facts: Pick<EventFacts, 'lengths' | 'sides'>;
  readonly tally: Pick<GoalTally, 'voided' | 'counting' | 'sides'>;
};

/** Returns the goals and red cards of a match in the order of their ids, removed and void ones included. */
export function keyIncidents(index: IncidentIndex, context: IncidentContext): KeyIncident[] {
  const counting = new Set(context.tally.counting);
  const redCards = index.cards.filter(({ incident }) => isRedCard(incident));
  const all = [...index.goals, ...redCards].sort((a, b) => compareIds(a.id, b.id));
  return all.map((known) => keyIncident(known, context, counting.has(known.id)));
}

/** Returns who, when and for whom of an incident. `counts`: whether it is a goal in the score. */
export function keyIncident(
  { id, incident, removed }: { readonly id: string; readonly incident: Incident; readonly removed: boolean },
  { facts: { lengths, sides }, tally }: IncidentContext,
  counts = tally.counting.includes(id),
): KeyIncident {
  const player = playerOf(incident);
  return {
    id,
    incident_type: incident.incident_id,
    team_id: incident.participant_id,
    player_id: player?.id ?? null,
    player_name: player?.name ?? null,
    minute: incidentMinute(incident, lengths),
    in_shoot_out: isInShootOut(incident),
    counts_for_id: counts ? (sides[tally.sides.get(id) as Side]?.id ?? null) : null,
    stands: !removed && incident.confirmation !== 'cancelled' && !tally.voided.has(id),
  };
}
