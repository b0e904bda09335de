import avro from 'avsc';
import { DecodeError, EncodeError } from './errors.ts';
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

/** The decoder of a codec. */
export interface Decoder<T> {
  /**
   * The value of a record's bytes, in the shape of this version's schema whatever schema it was written with. Synchronous,
   * except for the first record of a new schema. Throws or rejects with `DecodeError` for bytes that can never be read,
   * with `RegistryUnavailableError` where the schema cannot be fetched now.
   */
  decode(bytes: Buffer): T | Promise<T>;
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
    decode: decoder.decode,
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

  const read = (bytes: Buffer, id: number): T => {
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
    if (writer === null) throw new DecodeError(topic, `the registry has no schema ${id}`);
    try {
      resolvers.set(id, type.equals(writer) ? undefined : type.createResolver(writer));
    } catch (error) {
      throw new DecodeError(topic, `schema ${id} cannot be read as this version's`, error);
    }
  };
  return {
    decode(bytes) {
      if (bytes.length < HEADER_BYTES || bytes[0] !== 0)
        throw new DecodeError(topic, 'no schema id before the body');
      const id = bytes.readUInt32BE(1);
      return resolvers.has(id) ? read(bytes, id) : meet(id).then(() => read(bytes, id));
    },
  };
}

/** The paths of invalid fields, without their values. */
function invalidFields(type: AvroType, value: unknown): string {
  const paths = new Set<string>();
  type.isValid(value, { errorHook: (path) => paths.add(path.join('.') || '(the value)') });
  return paths.size === 0 ? 'unknown reason' : `does not fit the schema: ${[...paths].join(', ')}`;
}
