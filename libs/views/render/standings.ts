/** Tables with the names that they do not have themselves (docs/standings.md: a derived one knows its places by id). Pure. */
import { SOCCER } from '#contract/soccer.ts';
import { toWholeNumber } from '#contract/values.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is known of the place of a table; null where nobody told. */
export type TablePlace = {
  readonly area: string | null;
  readonly season: string | null;
  readonly stage: string | null;
  /** What is ranked. */
  readonly object: string | null;
  readonly group: (id: number) => string | null;
};

/** An entry of the catalogue of standings (spec, "Standings catalogue"), with names where it has none. */
export function nameEntry(entry: Json, place: TablePlace): Json {
  return {
    ...entry,
    name: nameOf(entry, place),
    object_name: entry.object_name || (place.object ?? ''),
    ...(entry.sport_id === SOCCER ? { sport_name: 'Soccer' } : {}),
  };
}

/**
 * A table (spec, "Standing"), with names where it has none. One that the provider made is written as the contract has it:
 * the id of a group as text, that of nobody as null, and lists that are left out as empty ones.
 */
export function nameTable(table: Json, place: TablePlace): Json {
  return {
    columns: [],
    ...nameEntry(table, place),
    groups: records(table.groups).map((group) => nameGroup(group, place)),
  };
}

function nameGroup(group: Json, place: TablePlace): Json {
  const id = toWholeNumber(group.id);
  return {
    zones: [],
    corrections: [],
    ...group,
    id: String(group.id ?? ''),
    name: group.name || ((id === null ? null : place.group(id)) ?? ''),
    participants: records(group.participants).map((row) =>
      row.subparticipant_id === '' ? { ...row, subparticipant_id: null } : row,
    ),
  };
}

/** As the provider names its own: `League standings - Europe, Champions League 2017/18, stage: Group Stage`. */
function nameOf({ name, type_name }: Json, { area, season, stage }: TablePlace): unknown {
  if (name !== type_name) return name;
  const where = [area, season, stage && `stage: ${stage}`].filter(Boolean).join(', ');
  return where === '' ? name : `${type_name} - ${where}`;
}

function records(list: unknown): Json[] {
  return Array.isArray(list) ? list : [];
}
