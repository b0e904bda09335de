/** Avro types of the schemas, safe for untrusted bytes. */
import avro from 'avsc';
import type { AvroRecord } from './schemas.ts';

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
