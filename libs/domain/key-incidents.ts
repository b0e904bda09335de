import type { KeyIncident } from '#records/types.ts';
import { incidentMinute } from './clock.ts';
import type { EventFacts } from './event-facts.ts';
import { hasBody, isInShootOut, isRedCard, type KnownSides, type Side } from './goal-facts.ts';
import type { GoalTally } from './goals.ts';
import { playerOf } from './incident-details.ts';
import type { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';

/**
 * Returns the goals and red cards of a match in the order of their ids, removed and void ones included: who and when, and of goals
 * that count for whom.
 */
export function keyIncidents(
  index: IncidentIndex,
  { lengths, sides }: Pick<EventFacts, 'lengths'> & { readonly sides: KnownSides },
  { voided, counting, sides: sideOfGoal }: Pick<GoalTally, 'voided' | 'counting' | 'sides'>,
): KeyIncident[] {
  const counts = new Set(counting);
  const redCards = index.cards.filter(({ incident }) => incident !== null && isRedCard(incident));
  const all = [...index.goals, ...redCards].sort((a, b) => compareIds(a.id, b.id));
  return all.filter(hasBody).map(({ id, incident, removed }) => {
    const player = playerOf(incident);
    return {
      id,
      incident_type: incident.incident_id,
      team_id: incident.participant_id,
      player_id: player?.id ?? null,
      player_name: player?.name ?? null,
      minute: incidentMinute(incident, lengths),
      in_shoot_out: isInShootOut(incident),
      counts_for_id: counts.has(id) ? (sides[sideOfGoal.get(id) as Side]?.id ?? null) : null,
      stands: !removed && incident.confirmation !== 'cancelled' && !voided.has(id),
    };
  });
}
