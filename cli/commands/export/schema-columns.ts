/** Columns of a dataset from the schema of a record: one for each field of a simple type, those of a nested record after its name. */
import type { AvroRecord, AvroSchema } from '#topics/schemas.ts';

/** Types of Parquet; `TIMESTAMP` is milliseconds in UTC, `JSON` is text. */
export type ColumnType = 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'JSON' | 'TIMESTAMP';
/** A value of a column; a TIMESTAMP is Unix milliseconds. Null is unknown. */
export type ExportCell = string | number | boolean | null;
export type ExportColumn = { readonly name: string; readonly type: ColumnType };
export type ExportRow = readonly ExportCell[];

/** A column, and the way to its value in a record. */
export type SchemaColumn = {
  readonly name: string;
  readonly type: ColumnType;
  readonly of: (record: object | null) => ExportCell;
};

const TYPES: Readonly<Record<string, ColumnType>> = {
  boolean: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  string: 'STRING',
};
/** Fields that are times: what one unit of them is, milliseconds. */
const TIMES: Readonly<Record<string, number>> = { ut: 1_000, received_at: 1 };

/** Returns the columns of a record. A map is JSON; lists have rows of their own, and no column. */
export function schemaColumns({ fields }: AvroRecord): SchemaColumn[] {
  return fields.flatMap(({ name, type }): SchemaColumn[] => {
    const fieldIn = (record: object | null) => (record as Record<string, unknown> | null)?.[name] ?? null;
    const own = withoutNull(type);
    if (typeof own === 'string') {
      const cellOf = (record: object | null) => fieldIn(record) as ExportCell;
      const unit = TIMES[name];
      if (unit === undefined) return [{ name, type: TYPES[own] as ColumnType, of: cellOf }];
      const timeOf = (record: object | null) => {
        const time = fieldIn(record);
        return time === null ? null : (time as number) * unit;
      };
      return [{ name, type: 'TIMESTAMP', of: timeOf }];
    }
    if (Array.isArray(own) || own.type === 'array' || own.type === 'enum') return [];
    if (own.type === 'map') {
      return [{ name, type: 'JSON', of: (record) => JSON.stringify(fieldIn(record)) }];
    }
    return schemaColumns(own).map((inner) => ({
      ...inner,
      name: `${name}_${inner.name}`,
      of: (record) => inner.of(fieldIn(record) as object | null),
    }));
  });
}

/** Returns the record that the items of a list are. */
export function itemRecord({ name, fields }: AvroRecord, list: string): AvroRecord {
  const type = fields.find((field) => field.name === list)?.type;
  if (
    typeof type !== 'object' ||
    Array.isArray(type) ||
    type.type !== 'array' ||
    typeof type.items === 'string'
  )
    throw new Error(`${name}.${list} is no list of records`);
  return type.items as AvroRecord;
}

function withoutNull(type: AvroSchema): AvroSchema {
  const others = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  return others.length === 1 ? (others[0] as AvroSchema) : others;
}
