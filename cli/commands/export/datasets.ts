/** The datasets: a topic each, with the columns of its schema (docs/guides/analyse.md). */
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { TopicValues } from '#records/types.ts';
import { type AvroRecord, loadSchemas } from '#topics/codec.ts';
import type { TopicName } from '#topics/topics.ts';
import type { EXPORTS } from './command.ts';
import { type ExportColumn, type ExportRow, schemaColumns } from './schema-columns.ts';

/** Ids of the competition and season of a row. Null is unknown. */
export type SeasonIds = { readonly competition: number | null; readonly season: number | null };

/** The topic of a dataset, its columns, and the rows that a record has. */
export type ExportShape<V> = {
  readonly topic: TopicName;
  readonly columns: readonly ExportColumn[];
  /** `season`: that of the record's match, for a topic that does not name it. */
  rows(value: V, season: SeasonIds): ExportRow[];
};

/** Records in lists that have columns of their own: what these begin with, and the lists around them. */
type ListPart = readonly [prefix: string, ...lists: string[]];

/**
 * Returns the shape of a topic: the columns of its schema and of `parts`, and the season of a match. `rowsOf` returns, for each row, the
 * record and that of each part.
 */
function shapeOf<T extends TopicName>(
  topic: T,
  parts: readonly ListPart[] = [],
  rowsOf: (value: TopicValues[T]) => readonly (object | null)[][] = (value) => [[value]],
): ExportShape<TopicValues[T]> {
  const schema = SCHEMAS.get(topic) as AvroRecord;
  const lists = new Set(parts.flatMap(([, ...path]) => path));
  const columns = [[''] as ListPart, ...parts].flatMap(([prefix, ...path], part) =>
    schemaColumns(schema, ...path)
      .filter(({ name }) => !lists.has(name))
      .map(({ name, type, of }) => ({ name: `${prefix}${name}`, type, of, part })),
  );
  const isOfMatch = columns.some(({ name }) => name === 'event_id');
  const missing = isOfMatch ? SEASON.filter(([name]) => !columns.some((own) => own.name === name)) : [];
  return {
    topic,
    columns: [
      ...columns.map(({ name, type }) => ({ name, type })),
      ...missing.map(([name]) => ({ name, type: 'INT64' as const })),
    ],
    rows: (value, season) =>
      rowsOf(value).map((records) => [
        ...columns.map(({ of, part }) => of(records[part] ?? null)),
        ...missing.map(([, level]) => season[level]),
      ]),
  };
}

const SCHEMAS = loadSchemas().topics;
const SEASON = [
  ['competition_id', 'competition'],
  ['season_id', 'season'],
] as const;

/** The datasets by name. */
export const SHAPES = {
  states: shapeOf('match-state'),
  'key-incidents': shapeOf('match-state', [['', 'key_incidents']], (state) =>
    state.key_incidents.map((key) => [state, key]),
  ),
  transitions: shapeOf('match-transitions'),
  incidents: shapeOf('match-incidents'),
  results: shapeOf('match-results'),
  messages: shapeOf('normalized-messages'),
  'feed-health': shapeOf('feed-health', [['gap_', 'gaps']], (record) =>
    [null, ...record.gaps].map((gap) => [record, gap]),
  ),
  tables: shapeOf(
    'standings',
    [
      ['group_', 'groups'],
      ['', 'groups', 'rows'],
    ],
    // As it is today: with the corrections whose day has come.
    (table) =>
      groupsOn(table, dayOf(Date.now())).flatMap((group) => group.rows.map((row) => [table, group, row])),
  ),
  rankings: shapeOf(
    'provider-standings',
    [
      ['group_', 'groups'],
      ['row_', 'groups', 'participants'],
    ],
    (table) => table.groups.flatMap((group) => group.participants.map((row) => [table, group, row])),
  ),
  catalogue: shapeOf('catalogue'),
} as const satisfies Record<keyof typeof EXPORTS, unknown>;
