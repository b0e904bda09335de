/** The provider's messages made again from their normalized form, so that whoever normalizes them gets the same. Pure. */
import type { NormalizedMessage } from '#topics/generated/types.ts';

/** What a provider writes as the `source` of a message where there is none. */
export const NO_SOURCE = -1;

/**
 * The event of a message as JSON. Its parts are taken over as they are; only the `action` that normalizing takes away
 * is put back, and one that deletes stays. `rest`: the last of the parts, parsed, where the action and the ids are.
 */
export function eventJson(
  { event_id, event_fields }: Pick<NormalizedMessage, 'event_id' | 'event_fields'>,
  rest: Readonly<Record<string, unknown>>,
  action: 'insert' | 'update' = 'update',
): string {
  const own = 'action' in rest ? '' : `,"action":"${action}"`;
  return joinObjects(`{"id":${event_id}${own}}`, ...event_fields);
}

/** The last part of a message's event, parsed: what changes least often, ids and names. Empty where there is no event. */
export function eventRest({
  event_fields,
}: Pick<NormalizedMessage, 'event_fields'>): Record<string, unknown> {
  const last = event_fields.at(-1);
  return last === undefined ? {} : JSON.parse(last);
}

/** One JSON object of the members of several, as text. */
export function joinObjects(...objects: readonly string[]): string {
  const members = objects.map((object) => object.slice(1, -1)).filter((text) => text !== '');
  return `{${members.join(',')}}`;
}
