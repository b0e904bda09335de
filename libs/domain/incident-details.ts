import type { Incident, ResultPerson } from '#records/types.ts';
import { list, long, object, positiveId, text } from './values.ts';

/** A person as reported: with an id, a name, or both. */
export type ReportedPerson = { readonly id: number | null; readonly name: string | null };

/** What the body of an incident says beside the fields of its record. */
export type IncidentDetails = {
  /** Null if it names none. */
  readonly player: ReportedPerson | null;
  readonly assistant: ReportedPerson | null;
  /** Ids of its attributes, ascending. */
  readonly attributes: readonly number[];
};

/** Reads the body of an incident. */
export function readDetails({ body }: Pick<Incident, 'body'>): IncidentDetails {
  const record = object(JSON.parse(body));
  const info = object(record?.additional_info);
  return {
    player: personOf(record?.subparticipant_id, record?.subparticipant_name),
    assistant: personOf(info?.assistant_id, info?.assistant_name),
    attributes: list(record?.attribute_ids)
      .flatMap((id) => positiveId(long(id)) ?? [])
      .sort((a, b) => a - b),
  };
}

function personOf(id: unknown, name: unknown): ReportedPerson | null {
  const person = { id: positiveId(long(id)), name: text(name) };
  return person.id === null && person.name === null ? null : person;
}

/** Returns a person that tables can count; null without an id, as a name is not of one person alone. */
export function withId(person: ReportedPerson | null): ResultPerson | null {
  return person === null || person.id === null ? null : { id: person.id, name: person.name };
}
