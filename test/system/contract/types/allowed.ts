/** Decides which kinds of values a field may have. */
import { shownKinds } from './shown.ts';
import { SPECIFIED } from './specified.ts';
import { UNLISTED } from './unlisted.ts';
import type { Kind, Seen } from './walk.ts';

/** Records that equal another one elsewhere: what the sources show of that one holds for them too. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  feed_event: ['event'],
  feed_incident: ['incident'],
  incident: ['feed_incident'],
  feed_participant: ['participant'],
  feed_value: ['result', 'stat', 'detail'],
  standings: ['standings_entry'],
};

/** Kinds of empty values. */
const EMPTY: readonly Kind[] = ['null', '""', '0'];

/**
 * Returns the kinds that a field may have: those of the specification with the provider's empty values, else those that
 * the provider shows, and those with a reason.
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

/** Returns the forbidden kinds that were seen, one line each: the field, the kind and its first value. */
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
