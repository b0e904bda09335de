/** The datasets: a topic each, with the columns of its schema (docs/guides/analyse.md). */
import avro from 'avsc';
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { TopicValues } from '#records/types.ts';
import { loadSchemas } from '#topics/codec.ts';
import type { TopicName } from '#topics/topics.ts';
import type { EXPORTS } from './command.ts';

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
  const record = avro.Type.forSchema(SCHEMAS.get(topic) as avro.Schema, {
    logicalTypes,
  }) as avro.types.RecordType;
  const lists = new Set(parts.flatMap(([, ...path]) => path));
  const columns = [[''] as ListPart, ...parts].flatMap(([prefix, ...path], part) =>
    columnsOf(path.reduce(itemRecord, record))
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
const logicalTypes = { 'timestamp-millis': avro.types.LogicalType };
const SEASON = [
  ['competition_id', 'competition'],
  ['season_id', 'season'],
] as const;

/** Types of Parquet; `TIMESTAMP` is milliseconds in UTC, `JSON` is text. */
export type ColumnType = 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'JSON' | 'TIMESTAMP';
/** A value of a column; a TIMESTAMP is Unix milliseconds. Null is unknown. */
export type ExportCell = string | number | boolean | null;
export type ExportColumn = { readonly name: string; readonly type: ColumnType };
export type ExportRow = readonly ExportCell[];

type SchemaColumn = ExportColumn & { readonly of: (record: object | null) => ExportCell };

/** By the names of Avro. A time of a logical type is in milliseconds. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  boolean: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  string: 'STRING',
  enum: 'STRING',
  'logical:timestamp-millis': 'TIMESTAMP',
};

/** Returns the columns of a record: one for each field, those of a nested record after its name. Lists and maps are JSON. */
function columnsOf({ fields }: avro.types.RecordType): SchemaColumn[] {
  return fields.flatMap((field): SchemaColumn[] => {
    const { name } = field;
    const valueIn = (record: object | null) => (record as Record<string, unknown> | null)?.[name] ?? null;
    const own = typeOf(field);
    if (own instanceof avro.types.RecordType)
      return columnsOf(own).map((inner) => ({
        ...inner,
        name: `${name}_${inner.name}`,
        of: (record) => inner.of(valueIn(record) as object | null),
      }));
    const type = TYPES[own.typeName] ?? 'JSON';
    const unit = type === 'INT64' ? unitOf(field) : null;
    const cellOf = (value: unknown): ExportCell => {
      if (value === null) return null;
      if (unit !== null) return (value as number) * unit;
      return type === 'JSON' ? JSON.stringify(value) : (value as ExportCell);
    };
    return [{ name, type: unit === null ? type : 'TIMESTAMP', of: (record) => cellOf(valueIn(record)) }];
  });
}

/** Returns what a unit of a time is, milliseconds, as its description says; null of another field. */
function unitOf({ name, doc = '' }: AvroField): number | null {
  if (/Unix milliseconds/.test(doc)) return 1;
  return name === 'ut' || /Unix seconds/.test(doc) ? 1_000 : null;
}

type AvroField = avro.types.Field & { readonly doc?: string };

function typeOf({ type }: avro.types.Field): avro.Type {
  if (!avro.Type.isType(type, 'union')) return type;
  const others = (type as avro.types.UnwrappedUnionType).types.filter(({ typeName }) => typeName !== 'null');
  return others.length === 1 ? (others[0] as avro.Type) : type;
}

function itemRecord({ fields }: avro.types.RecordType, list: string): avro.types.RecordType {
  const field = fields.find(({ name }) => name === list) as avro.types.Field;
  return (typeOf(field) as avro.types.ArrayType).itemsType as avro.types.RecordType;
}

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
