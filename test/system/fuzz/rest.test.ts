/**
 * Sends requests of every kind, generated from the server's own document: the same in every run, other and more with `FUZZ=full`.
 * A failure shows the request as a shell command, and its seed: `FUZZ_SEED=<seed>` with the same settings sends the same again.
 */
import { parse } from 'node:querystring';
import fc from 'fast-check';
import { Client, type Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { REST_ERRORS } from '#contract/rest/errors.ts';
import type { OpenApiDocument } from '#contract/rest/openapi.ts';
import { isOperationName, operationNamed } from '#contract/rest/operations.ts';
import { answerEnvelope, answerError } from '#contract/rest/records/envelope.ts';
import { rounds } from '../../support/rounds.ts';
import { contract, NARROW, serveContract, tokenUntil } from '../contract/served.ts';
import { BEGAN, day, LISTED, LONG_AGO, PUBLISHED } from '../contract/world.ts';
import { type Documented, fits, operationsOf } from './document.ts';
import { type Bearer, type FuzzRequest, type KnownValues, requests } from './requests.ts';

const FULL = process.env.FUZZ === 'full';
const RUNS = FULL ? 6_000 : rounds(1_200);
const SEED = process.env.FUZZ_SEED ?? (FULL ? undefined : '1');

/** Operations that may refuse valid parameters, by rules over several parameters or over the meaning of a text. */
const MORE_RULES = [
  'standings.index',
  'events.index',
  'events-simple.index',
  'livescore.index',
  'feed.index',
  'oauth',
];

const ERRORS = Object.values(REST_ERRORS).map(({ status, message, internalCode }) => ({
  status,
  error: { message, internal_code: internalCode },
}));

type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly body: string };

let client: Client;
let operations: ReadonlyMap<string, Documented>;
let known: KnownValues;
let tokens: Readonly<Record<Bearer, string | null>>;
let secrets: readonly string[];

beforeAll(async () => {
  await serveContract({ listens: true });
  const { api, everything, narrow } = contract();
  client = new Client(api.url);
  const document: OpenApiDocument = JSON.parse((await send('GET', '/openapi.json')).body);
  operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
  const { standings_list } = (await contract().answer('/v2/standings')).data;
  const events = [1001, 1005, 2001, 3001];
  const tables = standings_list.slice(0, 3).map(({ id }: { id: number }) => id);
  known = {
    numbers: [5, 10, 11, 20, 21, 30, 31, 40, 101, ...events, ...tables, PUBLISHED, BEGAN, LISTED, LONG_AGO],
    texts: [day(0), day(-40), `${day(7)} 15:00`, '3001,1005', '1005'],
    ids: {
      'sports.show': [1, 5, 901],
      'standings.show': tables,
      'feed.show': events,
      'events.show': events,
      'events.incidents': events,
      'events.important-incidents': events,
    },
    named: { client_id: [everything.id], secret_key: [everything.secret] },
  };
  const expired = tokenUntil(BEGAN - 1);
  tokens = { everything: everything.token, narrow: narrow.token, nobody: null, expired, malformed: 'v1.1.x' };
  secrets = [everything.token, narrow.token, expired, everything.secret, narrow.secret];
});
afterAll(() => client.destroy());

/** Sends a request verbatim: its path is not encoded, decoded or normalized. */
async function send(method: string, path: string): Promise<RawAnswer> {
  const request = () => client.request({ method, path });
  // The server may close the connection after the previous answer, for example to invalid HTTP.
  const { statusCode, headers, body } = await request().catch(request);
  return { statusCode, headers, body: await body.text() };
}

test('answers every request as its document says', async () => {
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(requests([...operations.values()], known), async (request) => {
    const answer = await send(request.method, target(request, tokens[request.bearer] ?? null));
    const name = `${request.operation ?? 'elsewhere'} ${answer.statusCode}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    try {
      check(request, answer);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${asCommand(request)}\n${answer.statusCode} ${answer.body.slice(0, 500)}\n${why}`, {
        cause,
      });
    }
  });
  await fc.assert(property, { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
  // The requests reached the code: every operation has both answered and refused.
  for (const { id, parameters } of operations.values()) {
    expect(seen.get(`${id} 200`), id).toBeGreaterThan(0);
    if (parameters.length > 0) expect(seen.get(`${id} 400`), id).toBeGreaterThan(0);
  }
});

function target({ path, query }: FuzzRequest, token: string | null): string {
  const pairs = query.map(([name, value]) => `${name}=${value}`);
  if (token !== null) pairs.push(`token=${token}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function asCommand(request: FuzzRequest): string {
  const url = target(request, tokens[request.bearer] === null ? null : `<${request.bearer}>`);
  return `curl --path-as-is -g -X ${request.method} '<api>${url.replaceAll("'", '%27')}'`;
}

function check(request: FuzzRequest, answer: RawAnswer): void {
  const { method, path } = request;
  const operation = operations.get(request.operation ?? '') ?? null;
  expect(answer.statusCode).toBeLessThan(500);
  expectNoSecret(request, answer);
  if (method === 'HEAD') {
    expect(answer.body).toBe('');
    expect(operation === null ? [400, 404] : [...operation.responses.keys()]).toContain(answer.statusCode);
    return;
  }
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const json = JSON.parse(answer.body);
  if (answer.statusCode !== 200) {
    const { error } = answerError.parse(json).api;
    expect(ERRORS).toContainEqual({ status: answer.statusCode, error });
  }
  if (!isDecodable(path)) {
    // Refused before any other check.
    expect(answer.statusCode).toBe(400);
  } else if (operation === null) {
    expect(answer.statusCode).toBe(404);
  } else if (method !== 'GET') {
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  } else {
    expectDocumented(operation, answer.statusCode, json);
    expect(allowed(request, operation)).toContain(answer.statusCode);
  }
}

function expectDocumented({ id, responses }: Documented, status: number, json: unknown): void {
  const documented = responses.get(status);
  expect(documented?.mediaTypes).toEqual(['application/json']);
  expect(documented?.body.safeParse(json).error?.issues ?? []).toEqual([]);
  // The document may be less strict.
  const schema = isOperationName(id) ? answerEnvelope(id, operationNamed(id).data) : z.never();
  if (status === 200) expect(schema.safeParse(json).error?.issues ?? []).toEqual([]);
}

/** Expects no secret in an answer, except a token in the URLs of pages and in the answer of the token operation. */
function expectNoSecret({ operation }: FuzzRequest, { body, headers }: RawAnswer): void {
  const shown = body
    .replace(/"(previous|next)_page":"[^"]*"/g, '')
    .replace(operation === 'oauth' ? /"token":"[^"]*"/ : '', '');
  for (const secret of secrets) expect(shown + JSON.stringify(headers)).not.toContain(secret);
}

/** Returns the possible statuses of a GET by the document. */
function allowed(request: FuzzRequest, operation: Documented): readonly number[] {
  const { id, bearer } = request;
  const [, query = ''] = target(request, tokens[bearer] ?? null).split(/\?(.*)/s);
  const sent = parse(query, '&', '=', { maxKeys: 0 });
  if (!operation.open) {
    if (sent.token !== tokens.everything && sent.token !== tokens.narrow) return [401];
    if (bearer === 'narrow' && !NARROW.operations.includes(operation.id)) return [403];
  }
  if (id !== null && !isId(decodeURIComponent(id))) return [404];
  const verdicts = operation.parameters.map((parameter) => {
    const value = sent[parameter.name];
    if (value === undefined) return !parameter.required;
    return typeof value === 'string' && fits(parameter, value);
  });
  if (verdicts.includes(false)) return [400];
  return [
    200,
    ...(verdicts.includes(null) || MORE_RULES.includes(operation.id) ? [400] : []),
    ...(id === null ? [] : [404]),
    ...(bearer === 'narrow' && !operation.open ? [403] : []),
    ...(operation.id === 'oauth' ? [401] : []),
  ];
}

function isId(text: string): boolean {
  return /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}
