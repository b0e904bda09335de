/** Records of fields of known kinds, and copies of them in which every readable field has its exact form. */
import { z } from 'zod';
import { CanonicalJsonError, canonicalJson } from '#json/canonical-json.ts';
import { type FieldKind, kindOf, UNREADABLE } from './kinds.ts';

/** A JSON object. */
export type RawRecord = Record<string, unknown>;

/** The known fields of a record by name. All others are allowed, and copied as they are. */
export type FieldKinds = Readonly<Record<string, FieldKind>>;

export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the schema of a record whose known fields have their exact form. Runs for every message: fields whose kind has a
 * function for it are checked in one go, which takes half the time of a schema for each.
 */
export function exactly<F extends FieldKinds>(fields: F) {
  const kinds = Object.entries(fields);
  const inOneGo = kinds.flatMap(([name, { exact, isExact }]) =>
    isExact === undefined ? [] : [{ name, exact, isExact }],
  );
  const shape = Object.fromEntries(
    kinds.map(([name, { exact, isExact }]) => [name, isExact === undefined ? exact : z.unknown().optional()]),
  );
  return z
    .object(shape as { -readonly [Name in keyof F]: F[Name]['exact'] }, 'expected an object')
    .check(({ value, issues }) => {
      const record = value as RawRecord;
      for (const { name, exact, isExact } of inOneGo) {
        if (isExact(record[name])) continue;
        for (const { path, message } of exact.safeParse(record[name]).error?.issues ?? [])
          issues.push({ code: 'custom', path: [name, ...path], message, input: undefined });
      }
    });
}

/**
 * Returns a copy of a record in which every readable field has its exact form. Leaves out what cannot be read, and adds its
 * path to `unread`; an essential field stays as it is. `path`: that of the record, '' for a message.
 */
export function repairRecord(
  record: RawRecord,
  fields: FieldKinds,
  path: string,
  unread: Set<string>,
): RawRecord {
  const repaired: [string, unknown][] = [];
  for (const [name, given] of Object.entries(record)) {
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const at = joined(path, kind === undefined ? '*' : name);
    const read = kind === undefined ? copyOf(given) : readField(kind, given, at, unread);
    if (read === UNREADABLE) unread.add(at);
    else if (read !== undefined) repaired.push([name, read]);
  }
  return Object.fromEntries(repaired);
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function readField(kind: FieldKind, given: unknown, path: string, unread: Set<string>): unknown {
  if (!kind.isNested && kind.exact.safeParse(given).success) return given;
  const read = kind.repair(given, path, unread);
  return read === UNREADABLE && kind.isEssential ? given : read;
}

/** Number of lists and records in a message around the most deeply nested unknown field: that of a result of a side of an event. */
const NESTING = 5;

/** Returns the value of an unknown field; `UNREADABLE` if it makes its message unreadable, as absurd nesting would. */
function copyOf(given: unknown): unknown {
  let nested = given;
  for (let level = 0; level < NESTING; level++) nested = [nested];
  try {
    canonicalJson(nested);
    return given;
  } catch (error) {
    if (error instanceof CanonicalJsonError) return UNREADABLE;
    throw error;
  }
}

/** A record within a record, or none. */
export function recordOrNone<F extends FieldKinds>(fields: F) {
  return nested(exactly(fields).nullish(), (given, path, unread) =>
    isRecord(given) ? repairRecord(given, fields, path, unread) : UNREADABLE,
  );
}

function nested<S extends z.ZodType>(exact: S, repair: FieldKind['repair']): FieldKind<S> {
  const orNone: FieldKind['repair'] = (given, path, unread) =>
    given === null ? null : repair(given, path, unread);
  return { ...kindOf(exact, orNone), isNested: true };
}

/** A list of records, or none. `exact`: its schema. A record without a readable essential field is left out alone. */
export function listOrNone<S extends z.ZodType>(exact: S, fields: FieldKinds): FieldKind<S> {
  const essentials = Object.entries(fields).filter(([, { isEssential }]) => isEssential);
  const repairItem = (item: unknown, path: string, unread: Set<string>): RawRecord[] => {
    if (!isRecord(item)) {
      unread.add(path);
      return [];
    }
    const found = new Set<string>();
    const repaired = repairRecord(item, fields, path, found);
    const lost = essentials.find(([name, { exact }]) => !exact.safeParse(repaired[name]).success)?.[0];
    for (const one of lost === undefined ? found : [`${path}.${lost}`]) unread.add(one);
    return lost === undefined ? [repaired] : [];
  };
  return nested(
    exact,
    (given, path, unread) =>
      listIn(given)?.flatMap((item) => repairItem(item, `${path}.*`, unread)) ?? UNREADABLE,
  );
}

const INDEX = /^[0-9]+$/;

/** Returns a list, also one that is written as an object whose keys are its indices; null for anything else. */
function listIn(given: unknown): unknown[] | null {
  if (Array.isArray(given)) return given;
  // Keys that are indices come in their order.
  return isRecord(given) && Object.keys(given).every((key) => INDEX.test(key)) ? Object.values(given) : null;
}
