import { LEVELS } from '#contract/rest/tree.ts';
import { type CatalogueItem, readCatalogueItem } from '#ingestion/catalogue.ts';
import { isRecord, type RawRecord } from '#json/records.ts';
import { toWholeNumber } from '#json/values.ts';

export type Raw = Readonly<Record<string, unknown>>;

/** The content of an answer's tree (spec, rule 1). */
export type Tree = {
  readonly entries: readonly CatalogueItem[];
  /** Events, each completed with the ids of the levels above it. */
  readonly events: readonly Raw[];
};

/** Flattens a tree of competitions or a single chain. Ignores values that are not records. */
export function readTree(data: unknown): Tree {
  const entries: CatalogueItem[] = [];
  const events: Raw[] = [];
  const walk = (parent: Raw, depth: number, idsAbove: Raw, parentId: string | null): void => {
    const kind = LEVELS[depth];
    const below = LEVELS[depth + 1] ?? 'event';
    for (const record of records(parent, `${kind ?? 'event'}s`, kind ?? 'event')) {
      if (kind === undefined) {
        const isMissing = ([name]: [string, unknown]) => [undefined, null, ''].includes(record[name] as null);
        events.push({ ...record, ...Object.fromEntries(Object.entries(idsAbove).filter(isMissing)) });
        continue;
      }
      const entry = readCatalogueItem(kind, without(record, [`${below}s`, below]), parentId);
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
  return isRecord(data) ? records(data, name) : [];
}

/** Returns the id of a record as text; empty when it has none. */
export function idOf({ id }: Raw): string {
  return String(toWholeNumber(id) ?? '');
}

/** Returns a record without the named members. */
export function without(record: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** Returns the records of a list, and the single one under another name. */
function records(parent: Raw, list: string, single = ''): RawRecord[] {
  const many = parent[list];
  // An empty list may arrive as an empty object.
  return [...(Array.isArray(many) ? many : []), parent[single]].filter(isRecord);
}
