/** Columns of a dataset from the schema of a record: one for each field, those of a nested record after its name. */
import type { AvroField, AvroRecord, AvroSchema } from '#topics/codec.ts';

/** Types of Parquet; `TIMESTAMP` is milliseconds in UTC, `JSON` is text. */
export type ColumnType = 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'JSON' | 'TIMESTAMP';
/** A value of a column; a TIMESTAMP is Unix milliseconds. Null is unknown. */
export type ExportCell = string | number | boolean | null;
export type ExportColumn = { readonly name: string; readonly type: ColumnType };
export type ExportRow = readonly ExportCell[];

/** A column, and the way to its value in a record. */
export type SchemaColumn = ExportColumn & { readonly of: (record: object | null) => ExportCell };

const TYPES: Readonly<Record<string, ColumnType>> = {
  boolean: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  string: 'STRING',
};

/** Returns the columns of the records of a topic, or of those in its lists along `path`. Lists and maps are JSON. */
export function schemaColumns(schema: AvroRecord, ...path: readonly string[]): SchemaColumn[] {
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
