/** Reads records of known fields, and lists of them, into typed values, and writes them again. */
import { ofFrozen } from './frozen.ts';
import { isEmpty, type Kind, UNREADABLE, unknownValue } from './kinds.ts';

export type RawRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The known fields of a record by name. */
export type Kinds = Readonly<Record<string, Kind<unknown>>>;

/** Returns fields of one kind, or value. */
export function each<K, Name extends string>(kind: K, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, K>;
}

/** The values of a record; null for a field that says nothing. */
type Values<K extends Kinds> = {
  -readonly [Name in keyof K]: Exclude<ReturnType<K[Name]>, typeof UNREADABLE>;
};

type ReadRecord<K extends Kinds> = {
  readonly values: Values<K>;
  /** The known fields that it set to null, in its order. */
  readonly nulls: (keyof K & string)[];
  /** Canonical JSON of its other fields, by name. */
  readonly other: Record<string, string>;
};

/** Reads a record. Adds the paths of what it leaves out to `unread`. `path`: that of the record, '' for a message. */
export type RecordReader<K extends Kinds> = (
  record: RawRecord,
  path: string,
  unread: Set<string>,
) => ReadRecord<K>;

/** Returns the reader of records with these fields. `others`: the kinds of fields whose content the contract does not know. */
export function recordReader<K extends Kinds>(
  kinds: K,
  others: Readonly<Record<string, Kind<string>>> = {},
): RecordReader<K> {
  const known = new Map<string, Kind<unknown>>(Object.entries(kinds));
  const otherKinds = new Map(Object.entries(others));
  const none = Object.fromEntries(Object.keys(kinds).map((name) => [name, null])) as Values<K>;
  return (record, path, unread) => {
    const values: Record<string, unknown> = { ...none };
    const nulls: string[] = [];
    const other: Record<string, string> = {};
    for (const name of Object.keys(record)) {
      const given = record[name];
      const kind = known.get(name);
      if (given === undefined) continue;
      if (kind === undefined) {
        const own = given === null ? undefined : otherKinds.get(name);
        const at = joined(path, own === undefined ? '*' : name);
        // No object of JavaScript has a field of this name.
        const read = name === '__proto__' ? UNREADABLE : (own ?? unknownValue)(given, at, unread);
        if (typeof read === 'string') other[name] = read;
        else if (read !== null) unread.add(at);
      } else if (given === null) nulls.push(name);
      else {
        const at = joined(path, name);
        const read = kind(given, at, unread);
        if (read === UNREADABLE) unread.add(at);
        else values[name] = read;
      }
    }
    return { values: values as Values<K>, nulls: nulls.sort(), other: byName(other) };
  };
}

/** Returns the same fields in the order of their names: equal records have equal bytes. */
function byName(fields: Record<string, string>): Record<string, string> {
  const names = Object.keys(fields);
  return names.length < 2
    ? fields
    : Object.fromEntries(names.sort().map((name) => [name, fields[name] as string]));
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Builds a record of its values and of the fields that the contract does not know. */
export function withOther<K extends Kinds>({ values, other }: ReadRecord<K>) {
  return { ...values, other };
}

/** A record, built from what was read of it. */
export function record<K extends Kinds, T>(kinds: K, build: (read: ReadRecord<K>) => T): Kind<T> {
  const reader = recordReader(kinds);
  return (value, path, unread) => {
    // PHP writes an object without fields as a list.
    const fields = Array.isArray(value) && value.length === 0 ? {} : value;
    return isRecord(fields) ? build(reader(fields, path, unread)) : UNREADABLE;
  };
}

/** A list of records. One without its `essential` field (`build` returns null) is left out alone, and only that field is named. */
export function records<K extends Kinds, T>(
  kinds: K,
  essential: keyof K & string,
  build: (read: ReadRecord<K>) => T | null,
  others?: Readonly<Record<string, Kind<string>>>,
): Kind<T[]> {
  const reader = recordReader(kinds, others);
  return listOf((item, path, unread) => {
    if (!isRecord(item)) return UNREADABLE;
    const found = new Set<string>();
    const built = build(reader(item, path, found));
    for (const one of built === null ? [`${path}.${essential}`] : found) unread.add(one);
    return built;
  });
}

/** A list of values of a kind, without those that cannot be read; also one that is written as an object whose keys are its indices. */
export function listOf<T>(kind: Kind<T>): Kind<T[]> {
  return (value, path, unread) => {
    const items = listIn(value);
    if (items === null) return isEmpty(value) ? null : UNREADABLE;
    const read: T[] = [];
    const at = `${path}.*`;
    for (const item of items) {
      const one = kind(item, at, unread);
      if (one === UNREADABLE) unread.add(at);
      else if (one !== null) read.push(one);
    }
    return read;
  };
}

/** A list whose items the contract does not know: its canonical JSON. */
export const unknownList: Kind<string> = (value, path, unread) => {
  const items = listIn(value);
  if (items === null) return isEmpty(value) ? null : UNREADABLE;
  return unknownValue(items, path, unread);
};

const INDEX = /^[0-9]+$/;

function listIn(given: unknown): unknown[] | null {
  if (Array.isArray(given)) return given;
  // Keys that are indices come in their order.
  return isRecord(given) && Object.keys(given).every((key) => INDEX.test(key)) ? Object.values(given) : null;
}

/** The fields that a contract does not know, by name: canonical JSON. */
type OtherFields = Readonly<Record<string, string>>;

export const otherFields = ofFrozen((other: OtherFields): Readonly<RawRecord> => {
  const fields: RawRecord = {};
  for (const name in other) fields[name] = JSON.parse(other[name] as string);
  return fields;
});

/** Returns the record that was read, and those in it: without the fields of which it says nothing, but with an unknown `value`. */
export function writeRecord(record: object): RawRecord {
  const own = record as RawRecord;
  const fields: RawRecord = { ...otherFields((own.other ?? {}) as OtherFields) };
  for (const name of Object.keys(own)) {
    const value = own[name];
    if (name !== 'other' && (value !== null || name === 'value')) fields[name] = writeValue(value);
  }
  return fields;
}

function writeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(writeValue);
  return isRecord(value) ? writeRecord(value) : value;
}

/** Returns the JSON of a value of a record, as `writeValue`. */
export function valueJson(value: unknown): string {
  return Array.isArray(value) ? listJson(value) : JSON.stringify(writeValue(value));
}

const listJson = ofFrozen((list: readonly unknown[]) => JSON.stringify(list.map(writeValue)));

/** Returns members of an object whose values are JSON already, each after a comma. */
export const membersJson = ofFrozen((members: OtherFields) => {
  let text = '';
  for (const name in members) text += `,${JSON.stringify(name)}:${members[name]}`;
  return text;
});
