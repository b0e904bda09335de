/** Rebuilds provider messages from their normalized form. Normalized again, they give the same. */
import type { NormalizedMessage } from '#records/types.ts';

/** The provider's value of an unknown source. */
export const NO_SOURCE = -1;

/**
 * Returns the event of a message as JSON: its parts, and the `action` that normalizing removes (it keeps only `delete`).
 * `rest`: the last part, parsed; it may have the action.
 */
export function eventJson(
  { event_id, event_fields }: Pick<NormalizedMessage, 'event_id' | 'event_fields'>,
  rest: Readonly<Record<string, unknown>>,
  action: 'insert' | 'update' = 'update',
): string {
  const own = 'action' in rest ? '' : `,"action":"${action}"`;
  return joinObjects(`{"id":${event_id}${own}}`, ...event_fields);
}

/** Returns the last part of a message's event, parsed: rarely changing fields, ids and names. Empty without an event. */
export function eventRest({
  event_fields,
}: Pick<NormalizedMessage, 'event_fields'>): Record<string, unknown> {
  const last = event_fields.at(-1);
  return last === undefined ? {} : JSON.parse(last);
}

/** Joins the members of several JSON objects into one, as text. */
export function joinObjects(...objects: readonly string[]): string {
  const members = objects.map((object) => object.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}`;
}
