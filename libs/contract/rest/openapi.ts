/** The contract as an OpenAPI 3.1 document, generated from the definitions that the routes serve and check. */
import { z } from 'zod';
import { LONG_MAX } from '#json/values.ts';
import { REST_ERRORS, type RestErrorCode } from './errors.ts';
import type { OperationInfo } from './operation.ts';
import { ALL_OPERATIONS } from './operations.ts';
import meanings from './parameter-meanings.json' with { type: 'json' };
import { answerEnvelope, answerError } from './records/envelope.ts';
import { ANSWERS } from './records.ts';

export type JsonSchema = { readonly [key: string]: unknown };

export type ParameterObject = {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonSchema;
};

export type OperationObject = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly JsonSchema[];
  readonly parameters: readonly ParameterObject[];
  readonly responses: {
    readonly [status: string]: {
      readonly description: string;
      readonly headers?: JsonSchema;
      readonly content: JsonSchema;
    };
  };
};

/** The parts of the document that are generated here. */
export type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: { readonly [path: string]: { readonly get: OperationObject } };
  readonly components: {
    readonly schemas: JsonSchema;
    readonly headers: JsonSchema;
    readonly securitySchemes: JsonSchema;
  };
};

const DESCRIPTION =
  'Sports data: catalogues, structure, events, incidents, standings, live scores and a feed. Every answer is in an ' +
  'envelope: the payload is `api.data`, the parameters that were in effect are `api.method.parameters`, and ' +
  '`api.method.next_page` is the ready URL of the next page. Unknown parameters are ignored; a known one that is ' +
  'sent twice is invalid. A slash at the end of a path changes nothing. Methods other than GET and HEAD are answered 405, ' +
  'unknown paths 404, both in the envelope.';

/** A header with the state of the feeds: an addition to the contract, whose bodies cannot carry it. */
export const HEALTH_HEADER = 'X-Feed-Health';

const HEALTH_HEADER_OBJECT: JsonSchema = {
  description:
    'Feed health, a dictionary of structured fields (RFC 9651): the state of each source and, where the request is about one ' +
    'event, of its `match`; `reason` is why the state is not good. Act only on `alive` and `recovered`. `unknown` alone: no state ' +
    'is known.',
  schema: { type: 'string' },
  example: 'feed=down;reason=network, webhook=alive, match=alive',
};

/**
 * Returns the document of a server of this version (`<major>.<minor>.<patch>`). `baseUrl` precedes `/v2`; '' is the host that
 * serves the document.
 */
export function openApi({
  version,
  baseUrl = '',
}: {
  version: string;
  baseUrl?: string | undefined;
}): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Touchline REST contract', version, description: DESCRIPTION },
    servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
    paths: Object.fromEntries(ALL_OPERATIONS.map((one) => [one.path, { get: operationObject(one) }])),
    components: {
      schemas: schemas(),
      headers: { [HEALTH_HEADER]: HEALTH_HEADER_OBJECT },
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'From `/v2/oauth`. URLs contain it, those of pages too: keep it out of logs.',
        },
      },
    },
  };
}

function operationObject(operation: OperationInfo): OperationObject {
  const { name, summary, notShown, open } = operation;
  return {
    operationId: name,
    summary,
    ...(notShown === null ? {} : { description: notShown }),
    security: open ? [] : [{ token: [] }],
    parameters: parametersOf(operation),
    responses: responsesOf(operation),
  };
}

function parametersOf({ params, idName, name: operation }: OperationInfo): ParameterObject[] {
  const { properties = {} } = z.toJSONSchema(params);
  const query = Object.entries(properties).map(([name, schema]): ParameterObject => {
    const { description: _, ...rest } = schema as JsonSchema;
    return {
      name,
      in: 'query',
      // A parameter with a default is optional.
      required: !z.safeParse(params.shape[name] as z.ZodType, undefined).success,
      description: meaningOf(operation, name),
      schema: rest,
    };
  });
  if (idName === null) return query;
  const schema = { type: 'integer', minimum: 0, maximum: LONG_MAX };
  return [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema,
      description: `The id; \`api.method.parameters\` shows it as \`${idName}\`.`,
    },
    ...query,
  ];
}

/** The meaning of each parameter, by name, or by operation and name if an operation has its own meaning. */
const MEANINGS: Readonly<Record<string, string>> = meanings;

/** Returns the meaning of a parameter of an operation; undefined if it has none, which a test rejects. */
function meaningOf(operation: string, name: string): string | undefined {
  // Reduced events have the parameters of events.
  return MEANINGS[`${operation.replace('events-simple', 'events')} ${name}`] ?? MEANINGS[name];
}

/** Whether an operation is about one event, table, season or stage, which another server may have. */
function asksForNode({ open, idName, params }: OperationInfo): boolean {
  const names = ['competition_id', 'season_id', 'stage_id', 'object_id'];
  return !open && (idName !== null || names.some((name) => name in params.shape));
}

/** The possible errors of an operation's path. */
function errorsOf(info: OperationInfo): RestErrorCode[] {
  const { open, idName, name } = info;
  return [
    'INVALID_PARAMETER',
    ...(name === 'feed.index' ? (['WINDOW_GONE'] as const) : []),
    ...(open && name !== 'oauth' ? [] : (['UNAUTHORIZED'] as const)),
    ...(open ? [] : (['FORBIDDEN'] as const)),
    ...(idName === null ? [] : (['NOT_FOUND'] as const)),
    ...(asksForNode(info) ? (['NOT_SERVED'] as const) : []),
    'METHOD_NOT_ALLOWED',
    'INTERNAL',
    'NOT_READY',
  ];
}

function responsesOf(operation: OperationInfo): OperationObject['responses'] {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => REST_ERRORS[code].status);
  const errors = [...byStatus].map(([status, codes]) => {
    const causes = codes.map(
      (code) => `${REST_ERRORS[code].message} (internal_code ${REST_ERRORS[code].internalCode})`,
    );
    return [String(status), response(causes.join('; '), 'Error', status)] as const;
  });
  return Object.fromEntries([['200', response('The answer', operation.name, 200)], ...errors]);
}

/** Returns a response object. Answers of server errors have no health header. */
function response(description: string, schema: string, status: number): OperationObject['responses'][string] {
  const headers = { [HEALTH_HEADER]: { $ref: `#/components/headers/${HEALTH_HEADER}` } };
  return {
    description,
    ...(status < 500 ? { headers } : {}),
    content: { 'application/json': { schema: { $ref: reference(schema) } } },
  };
}

const reference = (id: string): string => `#/components/schemas/${id}`;

/** Returns the schemas of answers and records by name. Answers refer to records. */
function schemas(): JsonSchema {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(ANSWERS)) registry.add(schema, { id: name });
  for (const { name, data } of ALL_OPERATIONS) registry.add(answerEnvelope(name, data), { id: name });
  registry.add(answerError, { id: 'Error' });
  const made = z.toJSONSchema(registry, { uri: reference }).schemas;
  // `$id` and `$schema` belong to standalone schemas.
  return Object.fromEntries(
    Object.entries(made).map(([id, { $id: _id, $schema: _dialect, ...schema }]) => [id, schema]),
  );
}
