import type { Incident, ResultPerson } from '#records/types.ts';
import { list, long, object, positiveId, text } from './values.ts';

/** What the body of an incident says beside the fields of its record. */
export type IncidentDetails = {
  /** Null if it names none. */
  readonly player: ResultPerson | null;
  readonly assistant: ResultPerson | null;
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

function personOf(id: unknown, name: unknown): ResultPerson | null {
  const known = positiveId(long(id));
  return known === null ? null : { id: known, name: text(name) };
}
