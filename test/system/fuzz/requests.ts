/** Generates requests of every kind from the published document. */
import fc from 'fast-check';
import type { ParameterObject } from '#contract/rest/openapi.ts';
import type { Documented } from './document.ts';

export type Bearer = 'everything' | 'narrow' | 'nobody' | 'expired' | 'malformed';

export type FuzzRequest = {
  readonly method: string;
  /** Id of the operation of its path; null for another path. */
  readonly operation: string | null;
  /** Text in the path for `{id}`, as sent; null without an id. */
  readonly id: string | null;
  readonly path: string;
  /** Names and values in order, as sent, without the token. */
  readonly query: readonly (readonly [string, string])[];
  readonly bearer: Bearer;
};

export type KnownValues = {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  readonly ids: Readonly<Record<string, readonly number[]>>;
  readonly named: Readonly<Record<string, readonly string[]>>;
};

const HOSTILE = [
  '',
  ' ',
  'yes ',
  'no\n',
  'a\0b',
  '\ufeff5',
  "' OR 1=1 --",
  '2026-01-01 24:00',
  '5,'.repeat(600),
  'x'.repeat(4_000),
  '9'.repeat(4_000),
].concat(
  '-1 1.5 1e3 0x10 007 +5 ٣ 😀 2147483648 9007199254740993 NaN null [] YES % ../../etc/passwd <script>'.split(
    ' ',
  ),
  '2026-02-31 9999-12-31 2026-1-1 2026-01-01T00:00:00Z , 1,,2'.split(' '),
);

/** Texts that are sent verbatim: invalid percent encodings, bytes that are no UTF-8, reserved characters. */
const RAW = ['%', '%zz', '%c3', '%ff%fe', '%00', '%F0%9F%98%80', '%25', '+', '%2B', '&', '=', '?', ';'];

const NAMES = ['token', 'limit[]', 'limit[gt]', '__proto__', 'toString', 'callback', '', 'LIMIT'];

/** Maximum length of a URL; Node accepts none that is much longer. */
const MAX_LENGTH = 12_000;

const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const PATHS =
  '/v2 /v2/ /v2//sports /v2/Sports /v2/../v2/no /v2/%73ports%2f /v2/__proto__ /v1/sports /.env'.split(' ');

/** Returns an arbitrary of requests: of these operations, of other paths, and with other methods. */
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
  // Half of the requests are valid, because most of the server's code runs only then.
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

/** Returns an arbitrary of a parameter's values: those of its schema, and any others, encoded. */
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
