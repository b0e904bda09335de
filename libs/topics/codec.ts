/** The schemas of `schemas/`, and the values of topics as bytes: Avro, in the wire format of Confluent's registry. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import avro from 'avsc';
import { LRUCache } from 'lru-cache';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Cause } from '#records/types.ts';
import { StreamError } from '#streams/errors.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { AVRO_OPTIONS } from './avro-types.ts';
import { DecodeError, EncodeError } from './errors.ts';

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

/** Loads every schema of a folder. A shared record is inlined at its first use in a topic's schema, later named. */
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

/** The Avro type of a schema, safe for untrusted bytes. */
export type AvroType = avro.Type;

/** By the text of their schemas: making one takes milliseconds, and the writers of a topic mostly have its readers' schema. */
const types = new LRUCache<string, AvroType>({
  max: 100,
  memoMethod: (text) => avro.Type.forSchema(JSON.parse(text), { ...AVRO_OPTIONS }),
});

/** Returns the Avro type of a schema. */
export function avroType(schema: AvroRecord): AvroType {
  return types.memo(JSON.stringify(schema));
}

/** Encodes and decodes the values of a topic, in the wire format of Confluent's registry. */
export interface Codec<T> extends Decoder<T> {
  /** Throws `EncodeError` when the value does not fit the schema. */
  encode(value: T): Buffer;
}

/** An encoded record; the value is null for a tombstone. */
type Encoded = { readonly value: Buffer | null };

/** Decodes the values of a topic. */
export interface Decoder<T> {
  /** Fetches the schemas of these values, unless cached. Rejects with `RegistryUnavailableError`; for an unknown one `decode` throws. */
  prepare(records: Iterable<Encoded>): Promise<void>;
  /** Decodes a value of a prepared or this codec's schema into this version's shape. Throws `DecodeError` for unreadable bytes. */
  decode(bytes: Buffer): T;
  /** Throws `DecodeError` for a prepared value whose header shows that it can never be decoded. */
  requireReadable(bytes: Buffer): void;
  /** Prepares and decodes one value. Rejects as these two do. */
  read(bytes: Buffer): Promise<T>;
}

/** Fetches a writer's schema by id; resolves to null if the registry does not know the id. */
type FindWriter = (id: number) => Promise<AvroRecord | null>;

/** Length of the header before the Avro body: a zero byte and the schema's id, four bytes, big-endian. */
export const HEADER_BYTES = 5;

/** Buffer into which all codecs encode, then copy: one pass both writes and measures. It grows to the largest record. */
let slab = Buffer.allocUnsafeSlow(64 * 1024);

/** Creates a codec that writes values of `type` with its `id` at the registry. */
export function createCodec<T>(topic: string, type: AvroType, id: number, findWriter: FindWriter): Codec<T> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(id, 1);
  const decoder = createDecoder<T>(topic, type, findWriter, id);
  return {
    ...decoder,
    encode(value) {
      let end: number;
      try {
        end = type.encode(value, slab, HEADER_BYTES);
        // A negative end is the number of missing bytes.
        while (end < 0) {
          slab = Buffer.allocUnsafeSlow(2 * (slab.length - end));
          end = type.encode(value, slab, HEADER_BYTES);
        }
      } catch (error) {
        throw new EncodeError(topic, invalidFields(type, value), error);
      }
      header.copy(slab);
      const bytes = Buffer.allocUnsafe(end);
      slab.copy(bytes, 0, 0, end);
      return bytes;
    },
  };
}

/** Creates a decoder into `type`. `ownId`: the id of `type`, if known; its records need no resolver. */
export function createDecoder<T>(
  topic: string,
  type: AvroType,
  findWriter: FindWriter,
  ownId?: number,
): Decoder<T> {
  /** By id of the writer's schema: its resolver, undefined if it equals `type`; or why it cannot be read. */
  const writers = new Map<number, ReturnType<AvroType['createResolver']> | undefined | DecodeError>();
  if (ownId !== undefined) writers.set(ownId, undefined);

  const writerOf = (bytes: Buffer) => {
    const id = schemaId(bytes);
    if (id === null) throw new DecodeError(topic, 'no schema id before the body');
    if (!writers.has(id)) throw new Error(`${topic}: schema ${id} is not prepared`);
    const writer = writers.get(id);
    if (writer instanceof DecodeError) throw writer;
    return writer;
  };
  const decode = (bytes: Buffer): T => {
    const writer = writerOf(bytes);
    let result: { value: T; offset: number };
    try {
      result = type.decode(bytes, HEADER_BYTES, writer);
    } catch (error) {
      throw new DecodeError(topic, 'the body does not fit its schema', error);
    }
    if (result.offset !== bytes.length)
      throw new DecodeError(topic, result.offset < 0 ? 'cut short' : 'trailing bytes');
    return result.value;
  };
  const findReading = async (id: number) => {
    const unknown = (problem: string, cause?: unknown) =>
      new DecodeError(topic, problem, cause, 'SCHEMA_UNKNOWN');
    const schema = await findWriter(id);
    if (schema === null) return unknown(`the registry has no schema ${id}`);
    try {
      const writer = avroType(schema);
      return type.equals(writer) ? undefined : type.createResolver(writer);
    } catch (error) {
      return unknown(`schema ${id} cannot be read as this version's`, error);
    }
  };
  const prepare = async (records: Iterable<Encoded>): Promise<void> => {
    const missing = new Set<number>();
    for (const { value } of records) {
      const id = value === null ? null : schemaId(value);
      // Asked again for one that was unknown: the registry may have it by now.
      if (id !== null && (!writers.has(id) || writers.get(id) instanceof DecodeError)) missing.add(id);
    }
    // One after the other: any writer of the topic can make them many.
    for (const id of missing) writers.set(id, await findReading(id));
  };
  return {
    prepare,
    decode,
    requireReadable: writerOf,
    async read(bytes) {
      await prepare([{ value: bytes }]);
      return decode(bytes);
    },
  };
}

/** Returns the id of the schema that a value was written with; null without a header. */
function schemaId(bytes: Buffer): number | null {
  return bytes.length < HEADER_BYTES || bytes[0] !== 0 ? null : bytes.readUInt32BE(1);
}

function invalidFields(type: AvroType, value: unknown): string {
  const paths = new Set<string>();
  type.isValid(value, { errorHook: (path) => paths.add(path.join('.') || '(the value)') });
  return paths.size === 0 ? 'unknown reason' : `does not fit the schema: ${[...paths].join(', ')}`;
}

/** Prepares a processor's records. Throws a transient `StreamError` (UNAVAILABLE) when a schema cannot be fetched. */
export async function fetchSchemas(codec: Decoder<unknown>, records: Iterable<Encoded>): Promise<void> {
  try {
    await codec.prepare(records);
  } catch (error) {
    throw new StreamError('UNAVAILABLE', 'the schema of a message cannot be fetched', error);
  }
}

/** Prepares records of a changelog. Rejects as `fetchSchemas`, and with `DecodeError` for one whose header shows it is unreadable. */
export async function fetchStateSchemas(codec: Decoder<unknown>, records: readonly Encoded[]): Promise<void> {
  await fetchSchemas(codec, records);
  for (const { value } of records) if (value !== null) codec.requireReadable(value);
}

/** Decodes an input record. Throws `PoisonError` for a missing or unreadable value. */
export function decodeInput<T>(codec: Decoder<T>, value: Buffer | null): T {
  if (value === null) throw new PoisonError('NO_VALUE', 'a message without a value');
  try {
    return codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new PoisonError('UNDECODABLE', 'not a message of the schema', error);
  }
}

/** Returns the fields that identify a message, or the one that caused a value of a match; none if the bytes cannot be decoded. */
export function identify(
  codec: Decoder<{ message_id?: string; cause?: Pick<Cause, 'message_id'>; event_id: number }>,
  value: Buffer | null,
): MessageFields {
  if (value === null) return {};
  try {
    const { message_id, cause, event_id } = codec.decode(value);
    return { message_id: message_id ?? cause?.message_id ?? null, event_id };
  } catch {
    // The dead letter carries the reason.
    return {};
  }
}
