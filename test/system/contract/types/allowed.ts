/** Which kinds of values a field may have. */
import { shownKinds } from './shown.ts';
import { SPECIFIED } from './specified.ts';
import { UNLISTED } from './unlisted.ts';
import type { Kind, Seen } from './walk.ts';

/** Records that are another one in another place: what the sources show of that one holds for them too. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  feed_event: ['event'],
  feed_incident: ['incident'],
  incident: ['feed_incident'],
  feed_participant: ['participant'],
  feed_value: ['result', 'stat', 'detail'],
  standings: ['standings_entry'],
};

/** What stands for nothing. */
const EMPTY: readonly Kind[] = ['null', '""', '0'];

/**
 * The kinds that each field may have: those of the specification with what the provider writes for nothing there, else
 * those that the provider shows, and those that have a reason.
 */
function allowedKinds(field: string): ReadonlySet<Kind> {
  const shown = shownKinds();
  const reasons = UNLISTED.filter(({ fields }) => fields.includes(field)).flatMap(({ kinds }) => kinds);
  const sources = namesOf(field).flatMap((name) => {
    const published = shown[name] ?? [];
    const specified = SPECIFIED[name];
    return specified === undefined
      ? published
      : [...specified, ...published.filter((kind) => EMPTY.includes(kind))];
  });
  return new Set([...sources, ...reasons]);
}

function namesOf(field: string): string[] {
  const [record = '', name] = field.split('.');
  return name === undefined ? [field] : [record, ...(SAME[record] ?? [])].map((one) => `${one}.${name}`);
}

/** What was seen and may not be, a line each: the field, the kind and the first value of it. */
export function strangers(seen: Seen): string[] {
  return [...seen]
    .flatMap(([field, kinds]) => {
      const allowed = allowedKinds(field);
      return [...kinds]
        .filter(([kind]) => !allowed.has(kind))
        .map(([kind, value]) => `${field}: ${kind} ${JSON.stringify(value)?.slice(0, 60)}`);
    })
    .sort();
}
