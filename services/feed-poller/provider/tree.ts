import { LEVELS } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#contract/values.ts';

/** A record of the provider, as parsed from JSON. */
export type Raw = Readonly<Record<string, unknown>>;

/** A record of a catalogue. */
export type CatalogueItem = {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The provider's record without the records nested in it. */
  readonly body: Raw;
};

/** Content of the tree of an answer (spec, rule 1). */
export type Tree = {
  readonly entries: readonly CatalogueItem[];
  /** Events, each with the ids of its place where it lacks them. */
  readonly events: readonly Raw[];
};

/** The names of a level, and of events below the last one, in the record above: as a list, and as a single link of a chain. */
function namesAt(depth: number): readonly [list: string, single: string] {
  const name = LEVELS[depth] ?? 'event';
  return [`${name}s`, name];
}

/** Flattens a tree of competitions or a single chain. Ignores what is not a record. */
export function readTree(data: unknown): Tree {
  const entries: CatalogueItem[] = [];
  const events: Raw[] = [];
  const walk = (parent: Raw, depth: number, place: Raw, parentId: string | null): void => {
    const kind = LEVELS[depth];
    for (const record of records(parent, namesAt(depth))) {
      if (kind === undefined) {
        events.push(placed(record, place));
        continue;
      }
      const id = idOf(record);
      if (id !== null) entries.push({ kind, id, parentId, body: without(record, namesAt(depth + 1)) });
      const sport = record.sport_id === undefined ? {} : { sport_id: record.sport_id };
      const here = id === null ? place : { ...place, ...sport, [`${kind}_id`]: Number(id) };
      walk(record, depth + 1, here, id);
    }
  };
  if (isRecord(data)) walk(data, 0, {}, null);
  return { entries, events };
}

/** The records of a flat list of `data`, by the list's name. */
export function readList(data: unknown, name: string): Raw[] {
  return isRecord(data) ? records(data, [name, name]) : [];
}

/** The id of a record as text; null where it has none. */
export function idOf(record: Raw): string | null {
  const id = toWholeNumber(record.id);
  return id === null ? null : String(id);
}

/** A record without the given members. */
export function without(record: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function records(parent: Raw, [list, single]: readonly [string, string]): Raw[] {
  const many = parent[list];
  // An empty list may come as an empty object.
  const found = Array.isArray(many) ? many : [];
  return [...found, parent[single]].filter(isRecord);
}

/** The event with the ids of its place where it lacks them. */
function placed(event: Raw, place: Raw): Raw {
  const missing = Object.entries(place).filter(([name]) => {
    const own = event[name];
    return own === undefined || own === null || own === '';
  });
  return { ...event, ...Object.fromEntries(missing) };
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
