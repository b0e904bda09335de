/** The contract as a reference for people: the OpenAPI document in groups, with examples. Pure. */

import { readFileSync } from 'node:fs';
import stringify from 'json-stringify-pretty-compact';
import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import type { OpenApiDocument, OperationObject, ParameterObject } from '#contract/rest/openapi.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import { ERRORS } from '#errors/catalogue.ts';

/** An object or list of an example that fits is one line: a side's result is read as one. */
const WIDTH = 130;

export type ReferenceGroup = ReturnType<typeof referenceOf>[number];
export type ReferenceOperation = ReferenceGroup['operations'][number];
export type ReferenceParameter = ReferenceOperation['parameters'][number];

const GROUPS: readonly (readonly [title: string, about: string, names: readonly OperationName[]])[] = [
  ['Token', 'Every other operation but the three open catalogues needs one.', ['oauth']],
  [
    'Live',
    'Boards and messages of matches as they are played.',
    ['livescore.index', 'basic-livescore.index', 'feed.index', 'feed.show'],
  ],
  [
    'Events',
    'Matches in their competition, season, stage and group, and what happened in them.',
    ['events.index', 'events-simple.index', 'events.show', 'events.incidents', 'events.important-incidents'],
  ],
  ['Standings', 'League tables and rankings of players.', ['standings.index', 'standings.show']],
  ['Structure', 'Competitions down to their stages.', ['competitions.index', 'stages.index']],
  [
    'Catalogues',
    'What the ids in the other answers stand for. They change rarely: keep them, and ask for changes with `timestamp`.',
    [
      ...(['sports.index', 'sports.show', 'areas.index', 'languages.index', 'statuses.index'] as const),
      ...(['incidents.index', 'standings-types.index'] as const),
    ],
  ],
];

/** The operations of the document in groups. Throws for one that is in no group. */
export function referenceOf(document: OpenApiDocument, exampleOf: (name: OperationName) => Example) {
  const left = new Map(
    Object.entries(document.paths).map(([path, { get }]) => [get.operationId, { path, get }]),
  );
  const groups = GROUPS.map(([title, about, names]) => ({
    title,
    about,
    operations: names.flatMap((name) => {
      const found = left.get(name);
      left.delete(name);
      return found === undefined ? [] : [operationOf(found.path, found.get, exampleOf(name))];
    }),
  }));
  if (left.size > 0) throw new Error(`in no group of the reference: ${[...left.keys()].join(', ')}`);
  return groups;
}

function operationOf(path: string, operation: OperationObject, example: Example) {
  const { operationId, summary, description, security, parameters, responses } = operation;
  return {
    /** Its `api.method.name`, which is its anchor too. */
    name: operationId,
    path,
    summary,
    note: description ?? null,
    /** Answers without a token. */
    open: security.length === 0,
    parameters: parameters.map((parameter) => parameterOf(parameter, path, example.request)),
    /** Status codes of its errors. */
    errors: Object.keys(responses).filter((status) => status !== '200'),
    /** Of the example, without the token. */
    request: example.request,
    answer: stringify(example.answer, { maxLength: WIDTH }),
    fields: Object.entries(example.fields)
      .filter(([field]) => !field.endsWith('[]'))
      .map(([field, types]) => ({ path: field, types: typesOf(field, types, example.fields) })),
  };
}

function parameterOf(parameter: ParameterObject, path: string, request: string) {
  const { name, in: place, required, description = '', schema } = parameter;
  const values = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  const { pathname, searchParams } = new URL(request, 'http://example');
  const sent =
    place === 'path'
      ? (pathname.split('/')[path.split('/').indexOf(`{${name}}`)] ?? null)
      : searchParams.get(name);
  return {
    name,
    in: place,
    required,
    /** What may be sent, such as `integer` or `YYYY-MM-DD`. */
    type: typeName(name, schema.type),
    /** The values that may be sent, where they are a list. */
    values,
    /** What the server takes where it is not sent; null where that is not one value. */
    fallback: schema.default === undefined ? null : String(schema.default),
    meaning: description,
    /** As the example sends it; null where it does not. */
    example: sent,
  };
}

function typeName(name: string, type: unknown): string {
  if (/^date_/.test(name)) return 'YYYY-MM-DD[ HH:MM[:SS]]';
  return typeof type === 'string' ? type : '';
}

/** E.g. `integer or null`; `list of string`. */
function typesOf(path: string, types: string, fields: Example['fields']): string {
  return types
    .split(' | ')
    .sort((a, b) => Number(a === 'null') - Number(b === 'null'))
    .map((type) => {
      if (type !== 'array') return type;
      const items = fields[`${path}[]`];
      return items === undefined ? 'empty list' : `list of ${items.replaceAll(' | ', ' or ')}`;
    })
    .join(' or ');
}

/** Every error by status, with its cause and what a client does about it (spec, "Errors"). */
export const REFERENCE_ERRORS = (
  Object.entries(ERRORS.RestError) as [RestErrorCode, readonly [string, string]][]
)
  .map(([code, [cause, action]]) => ({ ...REST_ERRORS[code], cause, action }))
  .sort((a, b) => a.status - b.status);

/** The types that a field was seen to have, as JSON has them, such as `null | string`; whole numbers are `integer`. */
export type FieldTypes = Readonly<Record<string, string>>;

/** An operation as a running system answered it: `npm run examples` writes these files, test/system/demo/demo.test.ts checks them. */
export type Example = {
  /** Path and query, without the token. */
  readonly request: string;
  /** The answer, its lists cut short. */
  readonly answer: unknown;
  /** Every field of `api.data` of the whole answer by its path, such as `competitions[].id`. */
  readonly fields: FieldTypes;
};

export function exampleFile(name: string): URL {
  return new URL(`./examples/${name}.json`, import.meta.url);
}

export function readExample(name: OperationName): Example {
  return JSON.parse(readFileSync(exampleFile(name), 'utf8'));
}
