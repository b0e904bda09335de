/** Reads `schemas/`: one Avro file for each topic value, and shared records in `schemas/common/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** An Avro schema as JSON, limited to the types that this project uses. */
export type AvroSchema = string | AvroSchema[] | AvroNamed | AvroContainer | AvroTime;
export type AvroField = { name: string; type: AvroSchema; doc?: string; default?: unknown };
export type AvroRecord = {
  type: 'record';
  name: string;
  namespace?: string;
  doc?: string;
  fields: AvroField[];
};
type AvroEnum = { type: 'enum'; name: string; namespace?: string; doc?: string; symbols: string[] };
export type AvroNamed = AvroRecord | AvroEnum;
/** Unix milliseconds. */
type AvroTime = { type: 'long'; logicalType: 'timestamp-millis' };
type AvroContainer = { type: 'array'; items: AvroSchema } | { type: 'map'; values: AvroSchema };

/** The schemas by topic (file name without suffix), each self-contained, and the shared records by their name. */
export type Schemas = {
  readonly common: ReadonlyMap<string, AvroRecord>;
  readonly topics: ReadonlyMap<string, AvroRecord>;
};

const ROOT = new URL('../../schemas/', import.meta.url);

/**
 * Loads every schema of a folder, by default this release's. A shared record is inlined at its first use in a topic's schema; later
 * uses refer to its name.
 */
export function loadSchemas(root = ROOT): Schemas {
  const common = new Map(
    readFolder(new URL('common/', root)).map(({ schema }): [string, AvroRecord] => [schema.name, schema]),
  );
  const topics = new Map(
    readFolder(root).map(({ file, schema }): [string, AvroRecord] => [file, inlineShared(schema, common)]),
  );
  return { common, topics };
}

function readFolder(folder: URL): { file: string; schema: AvroRecord }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.avsc'))
    .sort()
    .map((name) => ({
      file: basename(name, '.avsc'),
      schema: JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
    }));
}

function inlineShared(root: AvroRecord, common: ReadonlyMap<string, AvroRecord>): AvroRecord {
  const defined = new Set<string>();
  const visit = (schema: AvroSchema): AvroSchema => {
    if (typeof schema === 'string') {
      const shared = common.get(schema);
      if (shared === undefined || defined.has(schema)) return schema;
      return visitRecord(shared);
    }
    if (Array.isArray(schema)) return schema.map(visit);
    if (schema.type === 'record') return visitRecord(schema);
    if (schema.type === 'array') return { type: 'array', items: visit(schema.items) };
    if (schema.type === 'map') return { type: 'map', values: visit(schema.values) };
    return schema;
  };
  const visitRecord = (record: AvroRecord): AvroRecord => {
    defined.add(record.name);
    return { ...record, fields: record.fields.map((field) => ({ ...field, type: visit(field.type) })) };
  };
  return visitRecord(root);
}
