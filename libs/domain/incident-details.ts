import type { Incident, ResultPerson } from '#records/types.ts';
import { positiveId } from './values.ts';

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
