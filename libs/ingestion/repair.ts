/** Copies of the provider's messages in which every readable field has its exact form. */
import { envelopeFields, eventFields, incidentFields, ofEventFields } from './messages.ts';
import { type FieldKinds, isRecord, type RawRecord, repairRecord } from './records.ts';

/**
 * Returns the copy of a message with an event, and perhaps an incident. Leaves out what cannot be read, and adds its path to
 * `unread`.
 */
export function repairMessage(message: RawRecord, unread: Set<string>): RawRecord {
  const { data } = message;
  const part = (name: string, fields: FieldKinds): unknown => {
    const record = (data as RawRecord)[name];
    return isRecord(record) ? repairRecord(record, fields, name, unread) : record;
  };
  return {
    ...repairEnvelope(message, unread),
    data: isRecord(data)
      ? { incident: part('incident', incidentFields), event: part('event', eventFields) }
      : data,
  };
}

/** Does the same for a keep-alive, or the line-ups of an event. */
export function repairOfEvent(message: RawRecord, unread: Set<string>): RawRecord {
  const { data } = message;
  return {
    ...repairEnvelope(message, unread),
    data: isRecord(data) ? repairRecord(data, ofEventFields, 'data', unread) : data,
  };
}

/** Returns what all messages have, repaired, with the source. */
export function repairEnvelope(
  { id, uuid, ut, source, answered_at }: RawRecord,
  unread: Set<string>,
): RawRecord {
  return { ...repairRecord({ id, uuid, ut }, envelopeFields, '', unread), source, answered_at };
}
