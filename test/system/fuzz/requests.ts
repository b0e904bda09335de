/** Requests of every kind, made of the published document. */
import fc from 'fast-check';
import type { ParameterObject } from '#contract/rest/openapi.ts';
import type { Documented } from './document.ts';

/** Whose token is sent. */
export type Bearer = 'everything' | 'narrow' | 'nobody' | 'expired' | 'malformed';

/** A request that can be sent and shown. */
export type FuzzRequest = {
  readonly method: string;
  /** The id of the operation whose path it is; null where it is of none. */
  readonly operation: string | null;
  /** What stands in the path for `{id}`, as it is sent; null where there is none. */
  readonly id: string | null;
  readonly path: string;
  /** Names and values in their order, as they are sent, without the token. */
  readonly query: readonly (readonly [string, string])[];
  readonly bearer: Bearer;
};

/** Values that mean something to the server that is asked. */
export type KnownValues = {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  /** What a path of an operation may have for `{id}`. */
  readonly ids: Readonly<Record<string, readonly number[]>>;
  /** What a parameter may be. */
  readonly named: Readonly<Record<string, readonly string[]>>;
};

const HOSTILE = [
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '007',
  '+5',
  '9007199254740991',
  '9007199254740993',
  '2147483648',
  '99999999999999999999',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  'YES',
  'Yes',
  'yes ',
  'no\n',
  '٣',
  '１',
  '\0',
  'a\0b',
  '\u202e',
  '😀',
  '\ufeff5',
  'é'.normalize('NFD'),
  "' OR 1=1 --",
  '1; DROP TABLE events',
  '%',
  '_',
  '*',
  '../../etc/passwd',
  '<script>',
  '{{7*7}}',
  '\\',
  '0000-00-00',
  '2026-02-31',
  '9999-12-31',
  '2026-1-1',
  '2026-01-01T00:00:00Z',
  '2026-01-01 24:00',
  '1,2',
  ',',
  '1,,2',
  '5,'.repeat(600),
  'x'.repeat(4_000),
  '9'.repeat(4_000),
];

/** Sent as they are: percent signs that encode nothing, bytes that are no UTF-8, signs with a meaning of their own. */
const RAW = ['%', '%zz', '%c3', '%ff%fe', '%00', '%F0%9F%98%80', '%25', '+', '%2B', '&', '=', '?', ';'];

const NAMES = [
  'token',
  'limit[]',
  'limit[gt]',
  '__proto__',
  'constructor',
  'toString',
  'callback',
  '',
  'LIMIT',
];

/** Node takes no URL that is much longer, whatever it is of. */
const MAX_LENGTH = 12_000;

const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const PATHS = [
  '/v2',
  '/v2/',
  '/v2//sports',
  '/v2/Sports',
  '/v2/venues',
  '/v2/events/1005/lineups',
  '/v2/../v2/nothing',
  '/v2/%73ports%2f',
  '/v2/__proto__',
  '/v1/sports',
  '/v3/events',
  '/nowhere',
  '/.env',
];

/** Requests of these operations, of paths that are of none, and by methods that none has. */
export function requests(operations: readonly Documented[], known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const of = operations.map((operation) => ofOperation(operation, known));
  const elsewhere = fc.record({
    method: fc.constant('GET'),
    operation: fc.constant(null),
    id: fc.constant(null),
    path: fc.oneof(
      fc.constantFrom(...PATHS),
      fc.webPath().map((path) => `/v2/nowhere${path}`),
    ),
    query: fc.array(stray, { maxLength: 2 }),
    bearer,
  });
  const method = fc.constantFrom(...METHODS);
  const otherwise = fc
    .tuple(fc.oneof(...of), method)
    .map(([request, other]) => ({ ...request, method: other }));
  return fc
    .oneof(
      { weight: 12, arbitrary: fc.oneof(...of) },
      { weight: 1, arbitrary: otherwise },
      { weight: 1, arbitrary: elsewhere },
    )
    .filter(({ path, query }) => path.length + query.flat().join('&').length < MAX_LENGTH);
}

const bearer = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Bearer>('everything') },
  { weight: 4, arbitrary: fc.constant<Bearer>('narrow') },
  { weight: 3, arbitrary: fc.constantFrom<Bearer>('nobody', 'expired', 'malformed') },
);

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE).map(encoded),
  fc.constantFrom(...RAW),
  fc.string({ unit: 'binary', maxLength: 40 }).map(encoded),
  fc.string({ maxLength: 400 }).map(encoded),
);

const stray = fc.tuple(
  fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 8 })).map(encoded),
  hostile,
);

function ofOperation(operation: Documented, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const { path, parameters } = operation;
  const values = new Map(parameters.map((parameter) => [parameter.name, choices(parameter, known)]));
  const pair = (parameter: ParameterObject) => {
    const { valid, any } = values.get(parameter.name) ?? { valid: hostile, any: hostile };
    return {
      valid: valid.map((text) => [parameter.name, text] as const),
      any: any.map((text) => [parameter.name, text] as const),
    };
  };
  const pairs = parameters.map(pair);
  // All in order as often as not: most of what happens behind the parameters happens only then.
  const orderly = fc.tuple(
    ...pairs.map(({ valid }, index) =>
      fc.option(valid, { nil: null, freq: parameters[index]?.required ? 30 : 1 }),
    ),
  );
  const wild = fc.array(fc.oneof(...pairs.map(({ any }) => any), stray), { maxLength: 5 });
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(known.ids[operation.id] ?? known.numbers)).map(String) },
    { weight: 1, arbitrary: fc.constantFrom(...known.numbers).map(String) },
    { weight: 1, arbitrary: hostile.filter((text) => text !== '' && !/[?#&/]/.test(text)) },
  );
  return fc
    .record({
      method: fc.constant('GET'),
      operation: fc.constant(operation.id),
      id: path.includes('{id}') ? id : fc.constant(null),
      query: fc.oneof(
        orderly.map((all) => all.filter((one) => one !== null)),
        wild,
      ),
      bearer,
    })
    .map((request) => ({
      ...request,
      path: request.id === null ? path : path.replace('{id}', () => request.id ?? ''),
    }));
}

/** Values of a parameter: those of its schema, and any, encoded. */
function choices(
  { name, schema }: ParameterObject,
  known: KnownValues,
): { valid: fc.Arbitrary<string>; any: fc.Arbitrary<string> } {
  const { type, enum: values, minimum, maximum, pattern } = schema;
  const [min, max] = [Number(minimum ?? 0), Number(maximum ?? 0)];
  let valid: fc.Arbitrary<string>;
  let near: readonly string[] = [];
  if (Array.isArray(values)) {
    valid = fc.constantFrom(...values.map(String));
    near = values.flatMap((value) => [`${value}0`, `-${value}`, ` ${value}`, String(value).toUpperCase()]);
  } else if (type === 'integer') {
    const inside = known.numbers.filter((number) => number >= min && number <= max);
    valid = fc.oneof(
      fc.constantFrom(...inside).map(String),
      fc.constantFrom(min, max).map(String),
      fc.integer({ min, max }).map(String),
    );
    near = [String(BigInt(min) - 1n), String(BigInt(max) + 1n)];
  } else if (typeof pattern === 'string') {
    valid = fc.oneof(
      fc.stringMatching(new RegExp(pattern)),
      fc.constantFrom(...known.texts).filter((text) => new RegExp(pattern).test(text)),
    );
  } else {
    valid = fc.oneof(fc.constantFrom(...(known.named[name] ?? known.texts)), fc.string({ minLength: 1 }));
  }
  const all = [
    valid.map(encoded),
    hostile,
    ...(near.length === 0 ? [] : [fc.constantFrom(...near).map(encoded)]),
  ];
  return { valid: valid.map(encoded), any: fc.oneof(...all) };
}
