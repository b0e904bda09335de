import type { FieldTypes } from '../examples.ts';

const SEPARATOR = ' | ';

/** Objects whose keys differ between records; each counts as one field. */
const OPEN_OBJECTS = new Set(['additional_info', 'properties']);

/** Returns the types of all fields of a value by path; items of a list are `[]`. */
export function fieldsOf(value: unknown): FieldTypes {
  const types = new Map<string, Set<string>>();
  collect(value, '', types);
  return Object.fromEntries(
    [...types]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, found]) => [path, [...found].sort().join(SEPARATOR)]),
  );
}

function collect(value: unknown, path: string, types: Map<string, Set<string>>): void {
  if (path !== '') {
    const found = types.get(path) ?? new Set();
    types.set(path, found.add(typeOf(value)));
  }
  if (Array.isArray(value)) for (const item of value) collect(item, `${path}[]`, types);
  else if (typeof value === 'object' && value !== null && !OPEN_OBJECTS.has(path.split('.').at(-1) ?? '')) {
    for (const [key, inner] of Object.entries(value))
      collect(inner, path === '' ? key : `${path}.${key}`, types);
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Returns the differences in fields and types. A list without items or a field without a value is no difference. */
export function differences(expected: FieldTypes, found: FieldTypes): string[] {
  const missing = (from: FieldTypes, than: FieldTypes, what: string): string[] =>
    Object.keys(from)
      .filter((path) => !path.endsWith('[]') && !(path in than) && isPresent(parentOf(path), than))
      .map((path) => `${path}: ${what}`);
  const others = Object.entries(expected).flatMap(([path, types]) => {
    const have = found[path] ?? '';
    if (known(types).length === 0 || known(have).length === 0) return [];
    const isSame = known(types).some((type) => known(have).includes(type));
    return isSame ? [] : [`${path}: ${types} in the example, ${have} in the answer`];
  });
  return [
    ...missing(expected, found, 'not in the answer'),
    ...missing(found, expected, 'not in the example'),
    ...others,
  ];
}

/** Whether a field has a value, so that the fields in it can be compared. */
function isPresent(path: string, fields: FieldTypes): boolean {
  return path === '' || known(fields[path] ?? '').length > 0;
}

/** Returns the types other than null. */
function known(types: string): string[] {
  return types.split(SEPARATOR).filter((type) => type !== '' && type !== 'null');
}

/** Returns `a[]` for `a[].b`; empty for `a`. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}
