/** Nests events in a tree (spec, rule 1): joins JSON texts, and parses neither the events nor the records above them. */
import type { JsonObject } from '#json/values.ts';
import type { Paging } from './provider.ts';
import unknownNode from './unknown-node.json' with { type: 'json' };

/** The levels of nodes above an event, outermost first. */
export const LEVELS = ['competition', 'season', 'stage', 'group'] as const;

export type TreeLevel = (typeof LEVELS)[number];

/** Returns the provider's record of a node as JSON text, with `id` and `name`, without nested records; null if unknown. */
export type NodeLookup = (level: TreeLevel, id: number) => string | null;

/** The records of unknown nodes, by level, with the values that the provider writes for unknown fields. */
export const UNKNOWN_NODE: Readonly<Record<TreeLevel, JsonObject>> = unknownNode;

/** The ids of the nodes above an event; null if unknown, or if there is none. Group 0 is none, as in a league. */
type NodeIds = Readonly<Record<`${TreeLevel}_id`, number | null>>;

/** A record as JSON text, with the nodes above it. */
type Leaf = Partial<NodeIds> & { readonly text: string };
type TreeEvent = NodeIds & Leaf;
export type TreeStage = Pick<TreeEvent, 'competition_id' | 'season_id' | 'text'>;

/** Returns the JSON text of an array of competitions that nest these events. Keeps the order of nodes and events. */
export function renderTree(events: readonly TreeEvent[], lookup: NodeLookup): string {
  return nested(events, LEVELS, 'events', lookup);
}

/** Returns the JSON text of an array of competitions that nest these stages. */
export function renderStages(stages: readonly TreeStage[], lookup: NodeLookup): string {
  return nested(stages, ['competition', 'season'], 'stages', lookup);
}

/** Returns the JSON text of a node's record with a list added, such as a competition with its seasons. */
export function withList(record: string, key: string, items: readonly string[]): string {
  return `${opened(record)}"${key}":[${items.join(',')}]}`;
}

/** Returns one event below its nodes, as the data of `events.show`: `{"competition":{…"season":{…"event":{…}}}}`. */
export function renderChain(event: TreeEvent, lookup: NodeLookup): string {
  let chain = event.text;
  let inner: string = 'event';
  for (const level of LEVELS.toReversed()) {
    chain = `${opened(record(level, idOf(event, level), lookup))}"${inner}":${chain}}`;
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
  lookup: NodeLookup,
): string {
  const [level, ...below] = levels;
  if (level === undefined) return `[${leaves.map(({ text }) => text).join(',')}]`;
  const [next] = below;
  const key = next === undefined ? leafKey : `${next}s`;
  const nodes: string[] = [];
  for (const [id, inside] of Map.groupBy(leaves, (leaf) => idOf(leaf, level))) {
    nodes.push(`${opened(record(level, id, lookup))}"${key}":${nested(inside, below, leafKey, lookup)}}`);
  }
  return `[${nodes.join(',')}]`;
}

function idOf(leaf: Leaf, level: TreeLevel): number | null {
  const id = leaf[`${level}_id`] ?? null;
  return level === 'group' && id === 0 ? null : id;
}

/** Returns the record of a node. An unknown one has its id and empty fields; a missing group has no id, as at providers. */
function record(level: TreeLevel, id: number | null, lookup: NodeLookup): string {
  const none = UNKNOWN_NODE[level];
  if (id === null) return JSON.stringify(none);
  return lookup(level, id) ?? JSON.stringify({ ...none, id, ut: 0 });
}

/** Returns the text of an object without its end, ready for one more field. */
function opened(object: string): string {
  const inside = object.slice(0, object.lastIndexOf('}')).trimEnd();
  return inside.endsWith('{') ? inside : `${inside},`;
}
