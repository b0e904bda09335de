import avro from 'avsc';
import { PoisonError } from '#errors/touchline-error.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { DecodeError, EncodeError } from './errors.ts';
import type { Cause } from './generated/types.ts';
import type { AvroRecord } from './schemas.ts';

/** The Avro type of a schema, safe for untrusted bytes. */
export type AvroType = avro.Type;

/** Options of every Avro type here: unions unwrapped, longs as numbers (rejected beyond the safe range). */
export const AVRO_OPTIONS = { wrapUnions: 'never', typeHook } as const;

/** The Avro type of a schema. */
export function avroType(schema: AvroRecord): AvroType {
  return avro.Type.forSchema(schema as avro.Schema, { ...AVRO_OPTIONS });
}

/** The part of avsc's reader that we use. */
type Tap = { readonly buf: Buffer; pos: number; readLong(): number; readString(): string; skipLong(): void };
type Reader = { _read(tap: Tap): unknown };

/**
 * avsc trusts the item count that precedes the items: a record of eleven bytes can claim billions and exhaust the memory.
 * Every item of our schemas takes at least a byte, so a count above the bytes left is invalid.
 */
function blockSize(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.skipLong();
  }
  if (count > tap.buf.length - tap.pos) throw new Error('more items than bytes');
  return count;
}

class BoundedArray extends avro.types.ArrayType {
  // `this` may be avsc's resolver, which has `itemsType` too.
  _read(tap: Tap): unknown[] {
    const items = this.itemsType as unknown as Reader;
    const values: unknown[] = [];
    for (let count = blockSize(tap); count > 0; count = blockSize(tap)) {
      for (; count > 0; count--) values.push(items._read(tap));
    }
    return values;
  }
}

class BoundedMap extends avro.types.MapType {
  _read(tap: Tap): Record<string, unknown> {
    const values = this.valuesType as unknown as Reader;
    const map: Record<string, unknown> = {};
    for (let count = blockSize(tap); count > 0; count = blockSize(tap)) {
      for (; count > 0; count--) {
        const key = tap.readString();
        map[key] = values._read(tap);
      }
    }
    return map;
  }
}

function typeHook(schema: avro.Schema, options: unknown): AvroType | undefined {
  if (typeof schema !== 'object' || !('type' in schema)) return undefined;
  if (schema.type === 'array') return new BoundedArray(schema, options);
  if (schema.type === 'map') return new BoundedMap(schema, options);
  return undefined;
}

/** Encodes and decodes the values of a topic, in the wire format of Confluent's registry. */
export interface Codec<T> extends Decoder<T> {
  /** Throws `EncodeError` where the value does not fit the schema. */
  encode(value: T): Buffer;
}

/** A record, as far as its schema goes. */
type Encoded = { readonly value: Buffer | null };

/** The decoder of a codec. */
export interface Decoder<T> {
  /**
   * Fetches the schemas that these values were written with, unless it has them. Rejects with `RegistryUnavailableError`;
   * not for a schema that the registry does not know, or that cannot be read: `decode` throws for its values.
   */
  prepare(records: Iterable<Encoded>): Promise<void>;
  /**
   * The value of a record's bytes, in the shape of this version's schema whatever schema it was written with. `prepare`
   * must have had it, unless it was written with this codec's schema. Throws `DecodeError` for bytes that can never be read.
   */
  decode(bytes: Buffer): T;
  /** Both, for readers of single values. Rejects as they do. */
  read(bytes: Buffer): Promise<T>;
}

/** Fetches the writer's schema by id; null where the registry does not know the id. */
export type FindWriter = (id: number) => Promise<AvroType | null>;

/** Before the Avro body: a zero byte and the schema's id, four bytes, big-endian. */
export const HEADER_BYTES = 5;

/**
 * Buffer for encoding, from which values are copied: one pass writes and measures. Shared by all codecs, since encoding is
 * synchronous; it grows to the largest record.
 */
let slab = Buffer.allocUnsafeSlow(64 * 1024);

/** A codec that writes `type` under its `id` at the registry. */
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

/** A decoder into `type`. `ownId` is the id of `type`, where known: its records need no resolving. */
export function createDecoder<T>(
  topic: string,
  type: AvroType,
  findWriter: FindWriter,
  ownId?: number,
): Decoder<T> {
  /** By id of the writer's schema; undefined where it is the reader's own. */
  const resolvers = new Map<number, ReturnType<AvroType['createResolver']> | undefined>();
  if (ownId !== undefined) resolvers.set(ownId, undefined);
  /** Schemas that could not be had, by id. */
  const unreadable = new Map<number, DecodeError>();

  const decode = (bytes: Buffer): T => {
    const id = schemaId(bytes);
    if (id === null) throw new DecodeError(topic, 'no schema id before the body');
    if (!resolvers.has(id)) throw unreadable.get(id) ?? new Error(`${topic}: schema ${id} is not prepared`);
    let result: { value: T; offset: number };
    try {
      result = type.decode(bytes, HEADER_BYTES, resolvers.get(id));
    } catch (error) {
      throw new DecodeError(topic, 'the body does not fit its schema', error);
    }
    if (result.offset !== bytes.length)
      throw new DecodeError(topic, result.offset < 0 ? 'cut short' : 'trailing bytes');
    return result.value;
  };
  const meet = async (id: number): Promise<void> => {
    const writer = await findWriter(id);
    if (writer === null) {
      unreadable.set(id, new DecodeError(topic, `the registry has no schema ${id}`));
      return;
    }
    try {
      resolvers.set(id, type.equals(writer) ? undefined : type.createResolver(writer));
    } catch (error) {
      unreadable.set(id, new DecodeError(topic, `schema ${id} cannot be read as this version's`, error));
    }
  };
  const prepare = async (records: Iterable<Encoded>): Promise<void> => {
    const unmet = new Set<number>();
    for (const { value } of records) {
      const id = value === null ? null : schemaId(value);
      if (id !== null && !resolvers.has(id)) unmet.add(id);
    }
    // One after the other: how many there are is up to whoever writes to the topic.
    for (const id of unmet) await meet(id);
  };
  return {
    prepare,
    decode,
    async read(bytes) {
      await prepare([{ value: bytes }]);
      return decode(bytes);
    },
  };
}

/** The id of the schema that a value was written with; null where it has none. */
function schemaId(bytes: Buffer): number | null {
  return bytes.length < HEADER_BYTES || bytes[0] !== 0 ? null : bytes.readUInt32BE(1);
}

/** The paths of invalid fields, without their values. */
function invalidFields(type: AvroType, value: unknown): string {
  const paths = new Set<string>();
  type.isValid(value, { errorHook: (path) => paths.add(path.join('.') || '(the value)') });
  return paths.size === 0 ? 'unknown reason' : `does not fit the schema: ${[...paths].join(', ')}`;
}

/** Prepares a processor's records. A schema that cannot be fetched is transient (`StreamError` UNAVAILABLE). */
export async function fetchSchemas(codec: Decoder<unknown>, records: Iterable<Encoded>): Promise<void> {
  try {
    await codec.prepare(records);
  } catch (error) {
    throw new StreamError('UNAVAILABLE', 'the schema of a message cannot be fetched', error);
  }
}

/** Applies records of a changelog to the state of a processor, by key. Rejects as `fetchSchemas`, throws `DecodeError`. */
export async function restoreInto<T, S>(
  state: Map<string, S>,
  codec: Decoder<T>,
  records: readonly ConsumedRecord[],
  stateOf: (value: T) => S,
): Promise<void> {
  await fetchSchemas(codec, records);
  for (const { key, value } of records) {
    if (key === null) continue;
    if (value === null) state.delete(key.toString());
    else state.set(key.toString(), stateOf(codec.decode(value)));
  }
}

/** The value of an input record. Unreadable bytes are poison. */
export function decodeInput<T>(codec: Decoder<T>, value: Buffer | null): T {
  if (value === null) throw new PoisonError('NO_VALUE', 'a message without a value');
  try {
    return codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new PoisonError('UNDECODABLE', 'not a message of the schema', error);
  }
}

/** What names the message in an encoded value; nothing where it cannot be decoded. */
export function identify<T>(
  codec: Decoder<T>,
  value: Buffer | null,
  fields: (decoded: T) => MessageFields,
): MessageFields {
  if (value === null) return {};
  try {
    return fields(codec.decode(value));
  } catch {
    // A dead letter says why.
    return {};
  }
}

/** What names the message that caused a value of a match. */
export function identifyByCause(
  codec: Decoder<{ readonly cause: Pick<Cause, 'message_id'>; readonly event_id: number }>,
  value: Buffer | null,
): MessageFields {
  return identify(codec, value, ({ cause, event_id }) => ({ message_id: cause.message_id, event_id }));
}
