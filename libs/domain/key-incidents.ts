import type { Incident, KeyIncident, ResultPerson } from '#records/types.ts';
import { incidentMinute } from './clock.ts';
import type { EventFacts } from './event-facts.ts';
import { type GoalTally, isInShootOut, isRedCard, type Side } from './goals.ts';
import type { IncidentIndex } from './incident-index.ts';
import { compareIds } from './incident-register.ts';
import { positiveId } from './values.ts';

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

/** A person as reported: with an id, a name, or both. */
export type ReportedPerson = { readonly id: number | null; readonly name: string | null };

/** Returns the player of an incident; null if it names none. */
export function playerOf({
  subparticipant_id,
  subparticipant_name,
}: Pick<Incident, 'subparticipant_id' | 'subparticipant_name'>): ReportedPerson | null {
  return personOf(subparticipant_id, subparticipant_name);
}

/** Returns who assisted; null if the incident names nobody. */
export function assistantOf({ additional_info }: Pick<Incident, 'additional_info'>): ReportedPerson | null {
  return additional_info && personOf(additional_info.assistant_id, additional_info.assistant_name);
}

/** Returns the ids of the attributes of an incident, ascending. */
export function attributesOf({ attribute_ids }: Pick<Incident, 'attribute_ids'>): number[] {
  return attribute_ids.filter((id) => positiveId(id) !== null).sort((a, b) => a - b);
}

function personOf(id: number | null, name: string | null): ReportedPerson | null {
  const person = { id: positiveId(id), name };
  return person.id === null && name === null ? null : person;
}

/** Returns a person that tables can count; null without an id, as a name is not of one person alone. */
export function withId(person: ReportedPerson | null): ResultPerson | null {
  return person === null || person.id === null ? null : { id: person.id, name: person.name };
}
