/** The fields of an event in the groups that change together. */
import { ByKeys, canonicalPart, type Fields, fieldsOf } from '#json/canonical-json.ts';

/** Groups of event fields that change together. All other fields form one more group. */
const EVENT_PARTS: readonly (readonly string[])[] = [
  ['clock_status', 'clock_time', 'played_time'],
  ['bet_status', 'latency', 'relation_status', 'status_id', 'status_name', 'status_type'],
  ['details'],
  ['participants'],
];
const NOT_IN_REST: ReadonlySet<string> = new Set(['id', ...EVENT_PARTS.flat()]);

function partsOf(keys: readonly string[]): Fields[] {
  const rest = keys.filter((key) => !NOT_IN_REST.has(key));
  return [...EVENT_PARTS.map((part) => part.filter((key) => keys.includes(key))), rest]
    .filter((part) => part.length > 0)
    .map(fieldsOf);
}

const eventParts = new ByKeys(partsOf);
const eventPartsWithoutAction = new ByKeys((keys) => partsOf(keys.filter((key) => key !== 'action')));

/** Returns the event's fields by group. `action` is kept for a delete only: other actions describe just the message. */
export function eventPartsOf(event: object): string[] {
  const { action } = event as { action?: unknown };
  const parts = action === 'insert' || action === 'update' ? eventPartsWithoutAction : eventParts;
  return parts.of(event).map((part) => canonicalPart(event, part));
}
