/** Rebuilds provider messages from their normalized form, so that normalizing them again gives the same. Pure. */
import type { NormalizedMessage } from '#topics/generated/types.ts';

/** The provider's value for a missing source. */
export const NO_SOURCE = -1;

/**
 * The event of a message as JSON. Copies its parts; adds only the `action` that normalizing removes, except one that
 * deletes, which stays. `rest`: the last part, parsed; it has the action and the ids.
 */
export function eventJson(
  { event_id, event_fields }: Pick<NormalizedMessage, 'event_id' | 'event_fields'>,
  rest: Readonly<Record<string, unknown>>,
  action: 'insert' | 'update' = 'update',
): string {
  const own = 'action' in rest ? '' : `,"action":"${action}"`;
  return joinObjects(`{"id":${event_id}${own}}`, ...event_fields);
}

/** The last part of a message's event, parsed: rarely changing fields, ids and names. Empty without an event. */
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
