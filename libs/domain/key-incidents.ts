import type { Incident, KeyIncident } from '#records/types.ts';
import { renderMinute } from './clock.ts';
import type { PeriodLengths } from './clock-rule.ts';
import { isInShootOut, isRedCard, type KnownIncident } from './goal-facts.ts';
import type { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';
import { playerOf } from './match-result.ts';

/** The key incident of each incident record, with the lengths that its minute was read with: records are immutable. */
const known = new WeakMap<Incident, { readonly lengths: PeriodLengths | null; readonly key: KeyIncident }>();

/**
 * Returns the goals and red cards of a match in the order of their ids, removed and void ones included: who and when. `lengths`:
 * those of the match's periods. `isVoid`: whether a goal with this id is void.
 */
export function keyIncidents(
  { goals, cards }: Pick<IncidentIndex, 'goals' | 'cards'>,
  lengths: PeriodLengths | null,
  isVoid: (id: string) => boolean,
): KeyIncident[] {
  const redCards = cards.filter(({ incident }) => incident !== null && isRedCard(incident));
  const all = [...goals, ...redCards].sort((a, b) => compareIds(a.id, b.id));
  return all.flatMap((one) => keyIncident(one, lengths, isVoid));
}

function keyIncident(
  { id, incident, removed }: KnownIncident,
  lengths: PeriodLengths | null,
  isVoid: (id: string) => boolean,
): KeyIncident | [] {
  if (incident === null) return [];
  const stands = !removed && incident.confirmation !== 'cancelled' && !isVoid(id);
  const former = known.get(incident);
  if (former?.lengths === lengths && former.key.stands === stands) return former.key;
  const player = playerOf(incident);
  const { event_time: time, event_status_id: phase } = incident;
  const key: KeyIncident = {
    id,
    incident_type: incident.incident_id,
    team_id: incident.participant_id,
    player_id: player?.id ?? null,
    player_name: player?.name ?? null,
    minute: time === null ? null : renderMinute(time, phase, lengths),
    in_shoot_out: isInShootOut(incident),
    stands,
  };
  known.set(incident, { lengths, key });
  return key;
}
