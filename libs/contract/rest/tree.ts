/**
 * Nests events in their places: competition, season, stage, group, event (spec, rule 1). Joins JSON texts: parses neither the
 * events nor the records of the places.
 */
import type { JsonObject } from '#json/values.ts';
import type { Paging } from './provider.ts';
import unknownPlace from './unknown-place.json' with { type: 'json' };

/** The levels above an event, outermost first. */
export const LEVELS = ['competition', 'season', 'stage', 'group'] as const;

export type TreeLevel = (typeof LEVELS)[number];

/** Returns the provider's record of a place as JSON text, with `id` and `name`, without nested records; null if unknown. */
export type PlaceLookup = (level: TreeLevel, id: number) => string | null;

/** The records of unknown places, by level, with the values that the provider writes for unknown fields. */
export const UNKNOWN_PLACE: Readonly<Record<TreeLevel, JsonObject>> = unknownPlace;

/** The ids of the places; null if unknown, or if there is none. Group 0 is none, as in a league. */
type Places = Readonly<Record<`${TreeLevel}_id`, number | null>>;

/** A record as JSON text, with its places. */
type Leaf = Partial<Places> & { readonly text: string };
export type PlacedEvent = Places & Leaf;
export type PlacedStage = Pick<PlacedEvent, 'competition_id' | 'season_id' | 'text'>;

/** Returns the JSON text of an array of competitions that nest these events. Keeps the order of places and events. */
export function renderTree(events: readonly PlacedEvent[], place: PlaceLookup): string {
  return nested(events, LEVELS, 'events', place);
}

/** Returns the JSON text of an array of competitions that nest these stages. */
export function renderStages(stages: readonly PlacedStage[], place: PlaceLookup): string {
  return nested(stages, ['competition', 'season'], 'stages', place);
}

/** Returns the JSON text of a place's record with a list added, such as a competition with its seasons. */
export function withList(record: string, key: string, items: readonly string[]): string {
  return `${opened(record)}"${key}":[${items.join(',')}]}`;
}

/** Returns one event in its places, as the data of `events.show`: `{"competition":{…"season":{…"event":{…}}}}`. */
export function renderChain(event: PlacedEvent, place: PlaceLookup): string {
  let chain = event.text;
  let inner: string = 'event';
  for (const level of LEVELS.toReversed()) {
    chain = `${opened(record(level, placeOf(event, level), place))}"${inner}":${chain}}`;
    inner = level;
  }
  return `{"competition":${chain}}`;
}

/** Returns one page of a list; an empty one after the last page. */
export function pageOf<T>(items: readonly T[], { limit, page }: Paging): readonly T[] {
  return items.slice((page - 1) * limit, page * limit);
}

function nested(
  leaves: readonly Leaf[],
  levels: readonly TreeLevel[],
  leafKey: string,
  place: PlaceLookup,
): string {
  const [level, ...below] = levels;
  if (level === undefined) return `[${leaves.map(({ text }) => text).join(',')}]`;
  const [next] = below;
  const key = next === undefined ? leafKey : `${next}s`;
  const places: string[] = [];
  for (const [id, inside] of Map.groupBy(leaves, (leaf) => placeOf(leaf, level))) {
    places.push(`${opened(record(level, id, place))}"${key}":${nested(inside, below, leafKey, place)}}`);
  }
  return `[${places.join(',')}]`;
}

function placeOf(leaf: Leaf, level: TreeLevel): number | null {
  const id = leaf[`${level}_id`] ?? null;
  return level === 'group' && id === 0 ? null : id;
}

/** Returns the record of a place. An unknown place has its id and empty fields; a missing group has no id, as at providers. */
function record(level: TreeLevel, id: number | null, place: PlaceLookup): string {
  const none = UNKNOWN_PLACE[level];
  if (id === null) return JSON.stringify(none);
  return place(level, id) ?? JSON.stringify({ ...none, id, ut: 0 });
}

/** Returns the text of an object without its end, ready for one more field. */
function opened(object: string): string {
  const inside = object.slice(0, object.lastIndexOf('}')).trimEnd();
  return inside.endsWith('{') ? inside : `${inside},`;
}
