/** The reference of the contract for people: the operations of the OpenAPI document in groups, with examples. */

import { readFileSync } from 'node:fs';
import stringify from 'json-stringify-pretty-compact';
import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import type { OpenApiDocument, OperationObject, ParameterObject } from '#contract/rest/openapi.ts';
import type { OperationName } from '#contract/rest/operations.ts';
import { ERRORS } from '#errors/catalogue.ts';

/** Maximum line length of an example. Objects and lists that fit are one line, as short records read better so. */
const LINE_LENGTH = 130;

export type ReferenceGroup = ReturnType<typeof referenceOf>[number];
export type ReferenceOperation = ReferenceGroup['operations'][number];
export type ReferenceParameter = ReferenceOperation['parameters'][number];

const GROUPS: readonly (readonly [title: string, about: string, names: readonly OperationName[]])[] = [
  ['Token', 'All other operations except the three open catalogues need a token.', ['oauth']],
  [
    'Live',
    'Boards and messages of matches while they are played.',
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
    'The meanings of the ids in other answers. They change rarely: store them, and request changes with `timestamp`.',
    [
      'sports.index',
      'sports.show',
      'areas.index',
      'languages.index',
      'statuses.index',
      'incidents.index',
      'standings-types.index',
    ],
  ],
];

/** Returns the operations of the document in groups. Throws when an operation is in no group. */
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
  if (left.size > 0)
    throw new Error(`operations in no group of the reference: ${[...left.keys()].join(', ')}`);
  return groups;
}

function operationOf(path: string, operation: OperationObject, example: Example) {
  const { operationId, summary, description, security, parameters, responses } = operation;
  return {
    /** The `api.method.name`, also used as the anchor. */
    name: operationId,
    path,
    summary,
    note: description ?? null,
    /** Whether it needs no token. */
    open: security.length === 0,
    parameters: parameters.map((parameter) => parameterOf(parameter, path, example.request)),
    /** Status codes of its errors. */
    errors: Object.keys(responses).filter((status) => status !== '200'),
    /** Path and query of the example, without the token. */
    request: example.request,
    answer: stringify(example.answer, { maxLength: LINE_LENGTH }),
    fields: Object.entries(example.fields)
      .filter(([field]) => !field.endsWith('[]'))
      .map(([field, types]) => ({ path: field, types: typesOf(field, types, example.fields) })),
  };
}

function parameterOf(parameter: ParameterObject, path: string, request: string) {
  const { name, in: location, required, description = '', schema } = parameter;
  const values = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  const { pathname, searchParams } = new URL(request, 'http://example');
  const sent =
    location === 'path'
      ? (pathname.split('/')[path.split('/').indexOf(`{${name}}`)] ?? null)
      : searchParams.get(name);
  return {
    name,
    in: location,
    required,
    /** Format of a value, such as `integer` or `YYYY-MM-DD`. */
    type: typeName(name, schema.type),
    /** Allowed values; empty when they are no fixed list. */
    values,
    /** Default of the server; null when there is no single one. */
    fallback: schema.default === undefined ? null : String(schema.default),
    meaning: description,
    /** The value in the example's request; null: not sent. */
    example: sent,
  };
}

function typeName(name: string, type: unknown): string {
  if (/^date_/.test(name)) return 'YYYY-MM-DD[ HH:MM[:SS]]';
  return typeof type === 'string' ? type : '';
}

/** Returns types in words, e.g. `integer or null` or `list of string`. */
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

/** All errors by status, with cause and the client's action (spec, "Errors"). */
export const REFERENCE_ERRORS = (
  Object.entries(ERRORS.RestError) as [RestErrorCode, readonly [string, string]][]
)
  .map(([code, [cause, action]]) => ({ ...REST_ERRORS[code], cause, action }))
  .sort((a, b) => a.status - b.status);

/** The JSON types of each field in an answer, such as `null | string`; whole numbers are `integer`. */
export type FieldTypes = Readonly<Record<string, string>>;

/** A request and its answer from a running system: `npm run examples` writes these files, test/system/demo/kept.release.test.ts checks them. */
export type Example = {
  /** Path and query, without the token. */
  readonly request: string;
  /** The answer with shortened lists. */
  readonly answer: unknown;
  /** All fields of `api.data` in the whole answer by path, such as `competitions[].id`. */
  readonly fields: FieldTypes;
};

/** Returns the URL of the file with an operation's example. */
export function exampleFile(name: string): URL {
  return new URL(`./examples/${name}.json`, import.meta.url);
}

/** Reads the example of an operation. */
export function readExample(name: OperationName): Example {
  return JSON.parse(readFileSync(exampleFile(name), 'utf8'));
}
