import type { Incident, KeyIncident } from '#topics/generated/types.ts';
import { isInShootOut, type KnownIncident } from './goals.ts';
import { compareIds, type IncidentIndex } from './incident-index.ts';
import { playerOf } from './match-result.ts';
import { renderMinute } from './minute.ts';

/** Incident records are immutable, so each is read once. */
const read = new WeakMap<Incident, KeyIncident>();

/** Goals and red cards of a match, removed and void ones included, in order of their ids: who and when. */
export function keyIncidents({ goals, redCards }: IncidentIndex): KeyIncident[] {
  const all = redCards.length === 0 ? goals : [...goals, ...redCards].sort((a, b) => compareIds(a.id, b.id));
  return all.flatMap(keyIncident);
}

function keyIncident({ id, incident }: KnownIncident): KeyIncident | [] {
  if (incident === null) return [];
  const known = read.get(incident);
  if (known !== undefined) return known;
  const player = playerOf(incident);
  const { event_time: time, event_status_id: phase } = incident;
  const key: KeyIncident = {
    id,
    incident_type: incident.incident_id,
    team_id: incident.participant_id,
    player_id: player?.id ?? null,
    player_name: player?.name ?? null,
    minute: time === null ? null : renderMinute(time, phase),
    in_shoot_out: isInShootOut(incident),
  };
  read.set(incident, key);
  return key;
}
