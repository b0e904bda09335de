/** The Avro types of all schemas: safe for untrusted bytes, and fast for values that messages repeat. */
import avro from 'avsc';

/** The methods of avsc's reader that are used here. */
type Tap = {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
  readString(): string;
  writeString(text: string): void;
  skipLong(): void;
  writeLong(value: number): void;
  writeFixed(bytes: Buffer, length: number): void;
};
type Reader = { _read(tap: Tap): unknown };
type Writer = { _write(tap: Tap, value: unknown): void };

/** Reads the number of items in a block. avsc trusts it: a short record could claim billions. Each item takes a byte at least. */
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
  // `this` may be avsc's resolver, which also has `itemsType`.
  _read(tap: Tap): unknown[] {
    const items = this.itemsType as unknown as Reader;
    const values: unknown[] = [];
    for (let count = blockSize(tap); count > 0; count = blockSize(tap)) {
      for (; count > 0; count--) values.push(items._read(tap));
    }
    return values;
  }
}

/** Records whose lists are the same in most messages of an event. */
const REPEATED: ReadonlySet<unknown> = new Set(['ReportedValue', 'EventParticipant']);
/** Maximum bytes of a value that is remembered. */
const REPEATED_BYTES = 4 * 1024;
/** Number of values after which those are forgotten that were not read again. */
const REPEATED_VALUES = 1_024;

/**
 * Lists or maps of one schema that most messages repeat. They are written with their length in bytes, as Avro allows: where the bytes
 * are known, so is the value, a frozen one, which costs neither decoding nor comparing nor encoding. Half of a message in a backlog.
 */
class Repeated {
  static readonly #bySchema = new Map<string, Repeated>();
  /** By the bytes of the items as latin1 text. */
  #recent = new Map<string, object>();
  #former: ReadonlyMap<string, object> = new Map();
  readonly #bytes = new WeakMap<object, Buffer>();

  static of(schema: string): Repeated {
    const values = Repeated.#bySchema.get(schema) ?? new Repeated();
    Repeated.#bySchema.set(schema, values);
    return values;
  }

  read<T extends object>(tap: Tap, decode: () => T): T {
    const { pos: start, buf } = tap;
    const size = tap.readLong() < 0 ? tap.readLong() : 0;
    const [from, end] = [tap.pos, tap.pos + size];
    tap.pos = start;
    if (size <= 0 || size > REPEATED_BYTES || buf[end] !== 0) return decode();
    const items = buf.toString('latin1', from, end);
    const known = this.#recent.get(items) ?? this.#former.get(items);
    if (known !== undefined) tap.pos = end + 1;
    const value = (known ?? decode()) as T;
    if (tap.pos !== end + 1) throw new Error('a list is not as long as it says');
    if (known === undefined) {
      for (const item of Object.values(value)) Object.freeze(item);
      this.#bytes.set(Object.freeze(value), Buffer.from(buf.subarray(start, end + 1)));
    }
    if (!this.#recent.has(items)) this.#keep(items, value);
    return value;
  }

  write(tap: Tap, value: object, count: number, writeItems: () => void): void {
    const known = this.#bytes.get(value);
    if (known !== undefined) {
      tap.writeFixed(known, known.length);
      return;
    }
    const start = tap.pos;
    writeItems();
    const end = tap.pos;
    if (count > 0) {
      tap.writeLong(-count);
      tap.writeLong(end - start);
    }
    // What stands before the items was written behind them.
    const head = Buffer.from(tap.buf.subarray(end, tap.pos));
    tap.buf.copyWithin(start + head.length, start, end);
    head.copy(tap.buf, start);
    tap.writeLong(0);
  }

  #keep(items: string, value: object): void {
    if (this.#recent.size >= REPEATED_VALUES) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(items, value);
  }
}

class RepeatedArray extends BoundedArray {
  readonly #repeated = Repeated.of(JSON.stringify(this.itemsType));

  // `this` may be avsc's resolver, which remembers nothing.
  override _read(tap: Tap): unknown[] {
    return #repeated in this ? this.#repeated.read(tap, () => super._read(tap)) : super._read(tap);
  }

  _write(tap: Tap, list: readonly unknown[]): void {
    const items = this.itemsType as unknown as Writer;
    this.#repeated.write(tap, list, list.length, () => {
      for (const item of list) items._write(tap, item);
    });
  }
}

/** One object for all empty maps, as most are. */
const EMPTY: Record<string, unknown> = Object.freeze({});

class BoundedMap extends avro.types.MapType {
  _read(tap: Tap): Record<string, unknown> {
    const values = this.valuesType as unknown as Reader;
    let count = blockSize(tap);
    if (count === 0) return EMPTY;
    const map: Record<string, unknown> = {};
    for (; count > 0; count = blockSize(tap)) {
      for (; count > 0; count--) {
        const key = tap.readString();
        map[key] = values._read(tap);
      }
    }
    return map;
  }
}

class RepeatedMap extends BoundedMap {
  readonly #repeated = Repeated.of(JSON.stringify(this.valuesType));

  // As above.
  override _read(tap: Tap): Record<string, unknown> {
    return #repeated in this ? this.#repeated.read(tap, () => super._read(tap)) : super._read(tap);
  }

  _write(tap: Tap, map: Readonly<Record<string, string>>): void {
    const values = this.valuesType as unknown as Writer;
    const names = Object.keys(map);
    this.#repeated.write(tap, map, names.length, () => {
      for (const name of names) {
        tap.writeString(name);
        values._write(tap, map[name]);
      }
    });
  }
}

function nameOf(schema: avro.Schema): unknown {
  return typeof schema === 'object' && 'name' in schema ? schema.name : schema;
}

function typeHook(schema: avro.Schema, options: unknown): avro.Type | undefined {
  if (typeof schema !== 'object' || !('type' in schema)) return undefined;
  if (schema.type === 'array')
    return REPEATED.has(nameOf(schema.items))
      ? new RepeatedArray(schema, options)
      : new BoundedArray(schema, options);
  if (schema.type === 'map')
    return schema.values === 'string' ? new RepeatedMap(schema, options) : new BoundedMap(schema, options);
  return undefined;
}

/** Options of all Avro types: unions unwrapped, longs as numbers (rejected beyond the safe range). */
export const AVRO_OPTIONS = { wrapUnions: 'never', typeHook } as const;
