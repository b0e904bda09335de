/** The contract as an OpenAPI 3.1 document, generated from the definitions that the routes serve and check. */
import { z } from 'zod';
import { ERRORS } from '#errors/catalogue.ts';
import { type JsonObject, LONG_MAX } from '#json/values.ts';
import { HEALTH_HEADER } from '#trading/feed-status.ts';
import { REST_ERRORS, type RestErrorCode } from './errors.ts';
import type { OperationInfo } from './operation.ts';
import { ALL_OPERATIONS, type OperationName } from './operations.ts';
import meanings from './parameter-meanings.json' with { type: 'json' };
import { answerEnvelope, answerError } from './records/envelope.ts';
import { ANSWERS } from './records.ts';

/** Returns path and query of a request without its token, and its answer. */
type ExampleOf = (name: OperationName) => { readonly request: string; readonly answer: unknown };

/** The parts of the document that are generated here. */
export type OpenApiDocument = ReturnType<typeof openApi>;
export type OperationObject = ReturnType<typeof operationObject>;
export type ParameterObject = OperationObject['parameters'][number];

const TAGS = {
  Token: 'All other operations except the three open catalogues need a token.',
  Live: 'Boards and messages of matches while they are played.',
  Events: 'Matches in their competition, season, stage and group, and what happened in them.',
  Standings: 'League tables and rankings of players.',
  Structure: 'Competitions down to their stages.',
  Catalogues:
    'The meanings of the ids in other answers. They change rarely: store them, and request changes with `timestamp`.',
} as const;

const TAG_OF: Readonly<Record<ResourceOf<OperationName>, keyof typeof TAGS>> = {
  oauth: 'Token',
  livescore: 'Live',
  'basic-livescore': 'Live',
  feed: 'Live',
  events: 'Events',
  'events-simple': 'Events',
  standings: 'Standings',
  competitions: 'Structure',
  stages: 'Structure',
  sports: 'Catalogues',
  areas: 'Catalogues',
  languages: 'Catalogues',
  statuses: 'Catalogues',
  incidents: 'Catalogues',
  'standings-types': 'Catalogues',
};
/** What the name of an operation begins with. */
type ResourceOf<Name extends string> = Name extends `${infer Resource}.${string}` ? Resource : Name;

/** All errors by status, with cause and the client's action (spec, "Errors"). */
export const DESCRIBED_ERRORS = (
  Object.entries(ERRORS.RestError) as [RestErrorCode, readonly [string, string]][]
)
  .map(([code, [cause, action]]) => ({ ...REST_ERRORS[code], cause, action }))
  .sort((a, b) => a.status - b.status);

/** Markdown, as OpenAPI has it. */
const DESCRIPTION = `Sports data: catalogues, structure, events, incidents, standings, live scores and a feed.

**Getting started.** Send \`/v2/oauth\` with the credentials of your client, and send the token of its answer as the query parameter \`token\` with every request: on this page with *Authorize*. It is valid for an hour. The operator of this server gives you the credentials.

- **Envelope.** Every answer is \`{"api": {…}}\`: the payload is \`api.data\`, never at the top level; \`api.timestamp\` is the time of the answer (Unix seconds).
- **Effective parameters.** \`api.method.parameters\` shows, as text, every parameter that was in effect, defaults included. Unknown parameters are ignored; a known one that is sent twice is invalid.
- **Pages.** \`limit\` is one of a fixed list, \`page\` counts from 1. \`api.method.total_items\` counts the items of all pages; \`api.method.next_page\` is the URL of the next one, empty on the last. It contains the token: keep URLs out of logs.
- **Reading what changed.** Store \`api.timestamp\` and send it as \`timestamp\` next time. The boundary is inclusive: you may get a record twice but never miss one, so update by \`id\`.
- **Places.** Events are nested in \`competitions[].seasons[].stages[].groups[].events[]\`, and do not repeat the names of these levels.
- **Times.** \`start_date\` is \`YYYY-MM-DD HH:MM\` as the provider writes it; \`date_from\` and \`date_to\` are compared with it. \`ut\` is the time when the record was written, Unix seconds.
- **Contracts.** Lists leave out records outside your contract; a request for one by id is answered with 403.
- **Requests.** A slash at the end of a path changes nothing. Methods other than GET and HEAD are answered 405, unknown paths 404, both in the envelope.

**Errors** are \`{"api": {"ver", "timestamp", "error": {"message", "internal_code"}}}\`, and repeat nothing of the request:

| status | \`internal_code\` | message | cause | what to do |
|---|---|---|---|---|
${DESCRIBED_ERRORS.map(({ status, internalCode, message, cause, action }) => `| ${status} | ${internalCode} | ${message} | ${cause} | ${action} |`).join('\n')}
`;

const HEALTH_HEADER_OBJECT: JsonObject = {
  description:
    'Feed health, a dictionary of structured fields (RFC 9651): the state of each source and, where the request is about one ' +
    'event, of its `match`; `reason` is why the state is not good. Act only on `alive` and `recovered`. `unknown` alone: no state ' +
    'is known.',
  schema: { type: 'string' },
  example: 'feed=down;reason=network, webhook=alive, match=alive',
};

/** Returns the document of a server. `baseUrl` precedes `/v2`; '': the host that serves it. `exampleOf`: an operation's example. */
export function openApi({
  version,
  baseUrl = '',
  exampleOf,
}: {
  version: string;
  baseUrl?: string | undefined;
  exampleOf?: ExampleOf;
}) {
  return {
    openapi: '3.1.0',
    info: { title: 'Touchline REST contract', version, description: DESCRIPTION },
    servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      ALL_OPERATIONS.map((one) => [one.path, { get: operationObject(one, exampleOf?.(one.name)) }]),
    ),
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

function operationObject(
  operation: OperationInfo<OperationName>,
  example: ReturnType<ExampleOf> | undefined,
) {
  const { name, summary, notShown, open } = operation;
  return {
    operationId: name,
    tags: [TAG_OF[name.split('.', 1)[0] as ResourceOf<OperationName>]],
    summary,
    ...(notShown === null ? {} : { description: notShown }),
    security: open ? [] : [{ token: [] }],
    parameters: parametersOf(operation).map((parameter) => ({
      ...parameter,
      /** The value in the request of the operation's example. */
      example: example && exampleValue(parameter.name, operation, example.request),
    })),
    responses: responsesOf(operation, example?.answer),
  };
}

/** Returns the value of a parameter in a request; undefined if it is not sent. */
function exampleValue(name: string, { path }: OperationInfo, request: string): string | undefined {
  const { pathname, searchParams } = new URL(request, 'http://example');
  return pathname.split('/')[path.split('/').indexOf(`{${name}}`)] ?? searchParams.get(name) ?? undefined;
}

function parametersOf({ params, idName, name: operation }: OperationInfo) {
  const { properties = {} } = z.toJSONSchema(params);
  const query = Object.entries(properties).map(([name, schema]) => {
    const { description: _, ...rest } = schema as JsonObject;
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
  const id: (typeof query)[number] = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: LONG_MAX },
    description: `The id; \`api.method.parameters\` shows it as \`${idName}\`.`,
  };
  return [id, ...query];
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

function responsesOf(operation: OperationInfo, example: unknown) {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => REST_ERRORS[code].status);
  const errors = [...byStatus].map(([status, codes]) => {
    const causes = codes.map(
      (code) => `${REST_ERRORS[code].message} (internal_code ${REST_ERRORS[code].internalCode})`,
    );
    return [String(status), response(causes.join('; '), 'Error', status)] as const;
  });
  return Object.fromEntries([['200', response('The answer', operation.name, 200, example)], ...errors]);
}

/** Returns a response object. Answers of server errors have no health header. */
function response(description: string, schema: string, status: number, example?: unknown) {
  const headers = { [HEALTH_HEADER]: { $ref: `#/components/headers/${HEALTH_HEADER}` } };
  return {
    description,
    ...(status < 500 ? { headers } : {}),
    content: { 'application/json': { schema: { $ref: reference(schema) }, example } },
  };
}

const reference = (id: string): string => `#/components/schemas/${id}`;

/** Returns the schemas of answers and records by name. Answers refer to records. */
function schemas(): JsonObject {
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
