/** The datasets: a topic each, with the columns of its schema (docs/guides/analyse.md). */
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { TopicValues } from '#records/types.ts';
import { type AvroField, type AvroRecord, type AvroSchema, loadSchemas } from '#topics/codec.ts';
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

/** Types of Parquet; `TIMESTAMP` is milliseconds in UTC, `JSON` is text. */
export type ColumnType = 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'JSON' | 'TIMESTAMP';
/** A value of a column; a TIMESTAMP is Unix milliseconds. Null is unknown. */
export type ExportCell = string | number | boolean | null;
export type ExportColumn = { readonly name: string; readonly type: ColumnType };
export type ExportRow = readonly ExportCell[];

/** A column, and the way to its value in a record. */
type SchemaColumn = ExportColumn & { readonly of: (record: object | null) => ExportCell };

const TYPES: Readonly<Record<string, ColumnType>> = {
  boolean: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  string: 'STRING',
};

/** Returns the columns of the records of a topic, or of those in its lists along `path`. Lists and maps are JSON. */
function schemaColumns(schema: AvroRecord, ...path: readonly string[]): SchemaColumn[] {
  const named = new Map<string, AvroSchema>();
  collectNamed(schema, named);
  const record = path.reduce((inside, list) => itemRecord(inside, list, named), schema);
  return columnsOf(record, named);
}

function columnsOf({ fields }: AvroRecord, named: ReadonlyMap<string, AvroSchema>): SchemaColumn[] {
  return fields.flatMap((field): SchemaColumn[] => {
    const { name } = field;
    const valueIn = (record: object | null) => (record as Record<string, unknown> | null)?.[name] ?? null;
    const own = typeOf(field, named);
    if (typeof own === 'object' && !Array.isArray(own) && own.type === 'record')
      return columnsOf(own, named).map((inner) => ({
        ...inner,
        name: `${name}_${inner.name}`,
        of: (record) => inner.of(valueIn(record) as object | null),
      }));
    if (isTime(own)) return [{ name, type: 'TIMESTAMP', of: (record) => valueIn(record) as ExportCell }];
    const simple = typeof own === 'string' ? TYPES[own] : 'STRING';
    const unit = unitOf(field);
    if (simple === 'INT64' && unit !== null) {
      const timeOf = (value: unknown) => (value === null ? null : (value as number) * unit);
      return [{ name, type: 'TIMESTAMP', of: (record) => timeOf(valueIn(record)) }];
    }
    if (simple !== undefined && (typeof own === 'string' || isEnum(own)))
      return [{ name, type: simple, of: (record) => valueIn(record) as ExportCell }];
    const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
    return [{ name, type: 'JSON', of: (record) => jsonOf(valueIn(record)) }];
  });
}

/** Returns what a unit of a time is, milliseconds, as its description says; null of another field. */
function unitOf({ name, doc = '' }: AvroField): number | null {
  if (/Unix milliseconds/.test(doc)) return 1;
  return name === 'ut' || /Unix seconds/.test(doc) ? 1_000 : null;
}

function isTime(type: AvroSchema): boolean {
  return typeof type === 'object' && !Array.isArray(type) && type.type === 'long';
}

function isEnum(type: AvroSchema): boolean {
  return typeof type === 'object' && !Array.isArray(type) && type.type === 'enum';
}

/** Returns the type of a field without null; that of a name where it was defined before. */
function typeOf({ type }: AvroField, named: ReadonlyMap<string, AvroSchema>): AvroSchema {
  const others = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  const own = others.length === 1 ? (others[0] as AvroSchema) : others;
  return typeof own === 'string' ? (named.get(own) ?? own) : own;
}

/** Adds the types that a schema defines, by name. */
function collectNamed(schema: AvroSchema, named: Map<string, AvroSchema>): void {
  if (typeof schema === 'string') return;
  if (Array.isArray(schema)) for (const one of schema) collectNamed(one, named);
  else if (schema.type === 'array') collectNamed(schema.items, named);
  else if (schema.type === 'map') collectNamed(schema.values, named);
  else if (schema.type !== 'long') {
    named.set(schema.name, schema);
    if (schema.type === 'record') for (const { type } of schema.fields) collectNamed(type, named);
  }
}

/** Returns the record that the items of a list are. */
function itemRecord(
  { name, fields }: AvroRecord,
  list: string,
  named: ReadonlyMap<string, AvroSchema>,
): AvroRecord {
  const field = fields.find((one) => one.name === list);
  const type = field && typeOf(field, named);
  if (typeof type !== 'object' || Array.isArray(type) || type.type !== 'array')
    throw new Error(`${name}.${list} is no list`);
  return typeOf({ name: list, type: type.items }, named) as AvroRecord;
}

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
