import { LEVELS } from '#contract/rest/tree.ts';
import { type CatalogueItem, readCatalogueItem } from '#ingestion/catalogue.ts';
import { isRecord } from '#json/records.ts';
import { toWholeNumber } from '#json/values.ts';

/** A record of the provider, as parsed from JSON. */
export type Raw = Readonly<Record<string, unknown>>;

/** The content of an answer's tree (spec, rule 1). */
export type Tree = {
  readonly entries: readonly CatalogueItem[];
  /** Events, each completed with the ids of the levels above it. */
  readonly events: readonly Raw[];
};

/** Returns the names under which a parent holds the records of a level: as a list, and as a single record. Events are the last level. */
function namesAt(depth: number): readonly [list: string, single: string] {
  const name = LEVELS[depth] ?? 'event';
  return [`${name}s`, name];
}

/** Flattens a tree of competitions or a single chain. Ignores values that are not records. */
export function readTree(data: unknown): Tree {
  const entries: CatalogueItem[] = [];
  const events: Raw[] = [];
  const walk = (parent: Raw, depth: number, idsAbove: Raw, parentId: string | null): void => {
    const kind = LEVELS[depth];
    for (const record of records(parent, namesAt(depth))) {
      if (kind === undefined) {
        events.push(withIds(record, idsAbove));
        continue;
      }
      const entry = readCatalogueItem(kind, without(record, namesAt(depth + 1)), parentId);
      if (entry !== null) entries.push(entry);
      const id = entry?.id ?? null;
      const sport = record.sport_id === undefined ? {} : { sport_id: record.sport_id };
      const ids = id === null ? idsAbove : { ...idsAbove, ...sport, [`${kind}_id`]: Number(id) };
      walk(record, depth + 1, ids, id);
    }
  };
  if (isRecord(data)) walk(data, 0, {}, null);
  return { entries, events };
}

/** Returns the records of a flat list in `data`, by the list's name. */
export function readList(data: unknown, name: string): Raw[] {
  return isRecord(data) ? records(data, [name, name]) : [];
}

/** Returns the id of a record as text; null when it has none. */
export function idOf(record: Raw): string | null {
  const id = toWholeNumber(record.id);
  return id === null ? null : String(id);
}

/** Returns a record without the named members. */
export function without(record: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function records(parent: Raw, [list, single]: readonly [string, string]): Raw[] {
  const many = parent[list];
  // An empty list may arrive as an empty object.
  const found = Array.isArray(many) ? many : [];
  return [...found, parent[single]].filter(isRecord);
}

function withIds(event: Raw, ids: Raw): Raw {
  const missing = Object.entries(ids).filter(([name]) => {
    const own = event[name];
    return own === undefined || own === null || own === '';
  });
  return { ...event, ...Object.fromEntries(missing) };
}
