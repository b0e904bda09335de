import type { KeyIncident } from '#records/types.ts';
import { incidentMinute } from './clock.ts';
import type { PeriodRule } from './clock-rule.ts';
import { hasBody, isInShootOut, isRedCard } from './goal-facts.ts';
import type { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';

/**
 * Returns the goals and red cards of a match in the order of their ids, removed and void ones included: who and when. `lengths`:
 * those of the match's periods. `isVoid`: whether a goal with this id is void.
 */
export function keyIncidents(
  index: IncidentIndex,
  lengths: PeriodRule,
  isVoid: (id: string) => boolean,
): KeyIncident[] {
  const redCards = index.cards.filter(({ incident }) => incident !== null && isRedCard(incident));
  const all = [...index.goals, ...redCards].sort((a, b) => compareIds(a.id, b.id));
  return all.filter(hasBody).map(({ id, incident, removed }) => {
    const { player } = index.detailsOf(incident);
    return {
      id,
      incident_type: incident.incident_id,
      team_id: incident.participant_id,
      player_id: player?.id ?? null,
      player_name: player?.name ?? null,
      minute: incidentMinute(incident, lengths),
      in_shoot_out: isInShootOut(incident),
      stands: !removed && incident.confirmation !== 'cancelled' && !isVoid(id),
    };
  });
}
