/** A record of the provider as typed fields, and what is left of it: topics have no other JSON text. */
import { canonicalJson } from './canonical-json.ts';
import type { JsonObject } from './values.ts';

/** Returns a value in the type of its field; null for a value of another type. */
export type ReadTyped<V> = (value: unknown) => V | null;
type TypedFields = Readonly<Record<string, ReadTyped<unknown>>>;
type TypedValues<F> = { -readonly [Name in keyof F]: F[Name] extends ReadTyped<infer V> ? V | null : never };
type WithOther<F> = TypedValues<F> & { other: string | null };

/** Returns a reader of lists; a list with an item of another type is none. */
export function listOf<V>(item: ReadTyped<V>): ReadTyped<V[]> {
  return (value) => {
    if (!Array.isArray(value)) return null;
    const items = value.map(item);
    return items.includes(null) ? null : (items as V[]);
  };
}

/** Returns a reader of records that have these fields alone. */
export function only<F extends TypedFields>(fields: F): ReadTyped<TypedValues<F>> {
  return (value) => {
    if (!isObject(value)) return null;
    const { other, ...typed } = readTyped(value, fields);
    return other === null ? (typed as TypedValues<F>) : null;
  };
}

/** As `readTyped`, for the items of a list. */
export function withOther<F extends TypedFields>(fields: F): ReadTyped<WithOther<F>> {
  return (value) => (isObject(value) ? readTyped(value, fields) : null);
}

/**
 * Returns the fields of a record in their types, null where it says nothing (null, or '' where the type is no text), and as `other` the
 * canonical JSON of all else in it: of further names, and of values that are not of their field's type; null without any.
 */
export function readTyped<F extends TypedFields>(record: JsonObject, fields: F): WithOther<F> {
  const left = { ...record };
  const typed: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(fields)) {
    const value = record[name];
    typed[name] = read(value);
    if (typed[name] !== null || value === null || value === '') delete left[name];
  }
  const isAll = Object.values(left).every((value) => value === undefined);
  return { ...(typed as TypedValues<F>), other: isAll ? null : canonicalJson(left) };
}

/** Returns the record that was read, with its keys in canonical order: without the fields of which it says nothing. */
export function writeTyped({ other, ...typed }: { readonly other?: string | null }): JsonObject {
  const left: JsonObject = other ? JSON.parse(other) : {};
  const known = Object.entries(typed).filter(([, value]) => value !== null);
  const all = [...Object.entries(left), ...known.map(([name, value]) => [name, written(value)] as const)];
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  return isObject(value) ? writeTyped(value) : value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
