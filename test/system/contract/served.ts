/**
 * The served contract as the rows read it: an api in this process, with what the pipeline would write for
 * `world.ts`.
 */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { expect } from 'vitest';
import { Contracts } from '#clients/contracts.ts';
import { deriveKey, hashSecret } from '#clients/keys.ts';
import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope, answerError } from '#contract/rest/records/envelope.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { readRules } from '#service/competition-rules.ts';
import { createMetrics } from '#service/metrics.ts';
import { issueToken } from '#signing/token.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { createApp, createAuthenticator } from '../../../services/api/app.ts';
import { atEnd } from '../../support/at-end.ts';
import { CLIENTS_KEY } from '../../support/environment.ts';
import { pipelineRecords } from '../../support/pipeline-records.ts';
import { rulesFolder } from '../../support/standings/rules-folder.ts';
import { SeenValues } from './values.ts';
import { BEGAN, LEAGUE_RULES, messages, oddMessages, oddRecord } from './world.ts';
import { catalogue } from './world-catalogue.ts';

/** The contract of the second client. */
export const NARROW = {
  competitions: [10],
  operations: [
    'events.index',
    'events.show',
    'events.incidents',
    'events.important-incidents',
    'feed.index',
    'livescore.index',
    'competitions.index',
    'standings.index',
    'standings.show',
  ],
};

/** The clients of the rows; their names are their secrets. */
const CLIENTS = {
  everything: { id: '1', secret: 'everything', competitions: null, operations: null },
  narrow: { id: '2', secret: 'narrow', ...NARROW },
};

type ServedClient = { readonly id: string; readonly secret: string; readonly token: string };

const FEED_RETENTION_MS = 7 * 86_400_000;

/** An api with an unrestricted and a restricted client. */
class ServedContract {
  readonly everything: ServedClient;
  readonly narrow: ServedClient;
  readonly api: { readonly url: string; get(path: string, request?: RequestInit): Promise<Response> };
  /** The values of all answers so far. */
  readonly seen = new SeenValues();
  readonly #world: ViewsWorld;

  constructor(
    world: ViewsWorld,
    api: ServedContract['api'],
    { everything, narrow }: Record<keyof typeof CLIENTS, ServedClient>,
  ) {
    this.#world = world;
    this.api = api;
    this.everything = everything;
    this.narrow = narrow;
  }

  publish(message: NormalizedMessage): void {
    this.#world.take(message);
  }

  /** Requests a path as the first client, expects 200 and exactly the contract's shape, and returns `api`. */
  answer(path: string) {
    return this.answerTo(this.everything.token, path);
  }

  /** Like `answer`, with that token; null sends none. */
  async answerTo(token: string | null, path: string) {
    const response = await this.api.get(withToken(path, token));
    const body = await response.text();
    expect(response.status, `${path} ${body.slice(0, 300)}`).toBe(200);
    expectJson(response);
    const operation = operationOf(path);
    const json = JSON.parse(body);
    const parsed = answerEnvelope(operation.name, operation.data).safeParse(json);
    expect(parsed.error?.issues ?? [], path).toEqual([]);
    this.seen.note(operation.name, json.api.data);
    return json.api;
  }

  /** Returns the answers of all pages from this one, each by the `next_page` of the previous one. */
  async pages(path: string) {
    const pages = [await this.answer(path)];
    for (;;) {
      const next: string = pages.at(-1).method.next_page;
      if (next === '') return pages;
      expect(next.startsWith(`${this.api.url}/v2/`), next).toBe(true);
      pages.push(await this.answerTo(null, next.slice(this.api.url.length)));
    }
  }

  /**
   * Expects exactly an error of the contract, and returns it. It contains nothing of the request, so it names
   * no parameter.
   */
  async refuses(path: string, code: RestErrorCode, token: string | null = this.everything.token) {
    const response = await this.api.get(withToken(path, token));
    const body = await response.text();
    const { status, message, internalCode } = REST_ERRORS[code];
    expect(response.status, `${path} ${body.slice(0, 300)}`).toBe(status);
    expectJson(response);
    const { ver, timestamp, error } = answerError.parse(JSON.parse(body)).api;
    const wanted = { ver, timestamp, error: { message, internal_code: internalCode } };
    expect(JSON.parse(body), path).toEqual({ api: wanted });
    return error;
  }
}

let served: ServedContract | undefined;

/**
 * Serves the rows from now on. `listens`: on a port of this machine; else the api is asked without a socket. `isOdd`: its
 * messages are not as specified.
 */
export async function serveContract({ listens = false, isOdd = false } = {}): Promise<void> {
  const rulesOf = readRules(rulesFolder({ 'league.json': LEAGUE_RULES }));
  const world = new ViewsWorld();
  world.now = Date.now();
  const given = isOdd ? oddMessages() : messages();
  world.give(...(await pipelineRecords(given, catalogue(isOdd ? oddRecord : undefined), rulesOf)));
  world.views.feed.sweep(world.now - FEED_RETENTION_MS);
  const contracts = new Contracts((access) => access);
  for (const { id, secret, competitions, operations } of Object.values(CLIENTS))
    contracts.apply({
      key: id,
      value: {
        ...sampleOf('clients'),
        client_id: Number(id),
        active: true,
        secret_hash: hashSecret(secret),
        competitions,
        operations,
      },
    });
  const authenticator = createAuthenticator(contracts, { CLIENTS_KEY });
  const app = await createApp({
    competitions: null,
    data: createProviderData(world.views),
    authenticator,
    view: world.views,
    board: null,
    version: '1.2.3',
    publicUrl: undefined,
    trustedProxies: [],
    registry: createMetrics('api'),
    log: pino({ level: 'silent' }),
    ready: () => true,
    onFailure: (error) => {
      throw error;
    },
  });
  atEnd(() => app.close());
  const withGrant = async ({ id, secret }: { readonly id: string; readonly secret: string }) => {
    const granted = await authenticator.exchange(id, secret, BEGAN);
    return { id, secret, token: granted?.token ?? '' };
  };
  const url = listens ? await app.listen({ port: 0, host: '127.0.0.1' }) : 'http://localhost:80';
  const get = (path: string, request?: RequestInit) =>
    listens ? fetch(url + path, request) : inject(app, path, request);
  const clients = {
    everything: await withGrant(CLIENTS.everything),
    narrow: await withGrant(CLIENTS.narrow),
  };
  served = new ServedContract(world, { url, get }, clients);
}

/** Sends a request to a server without a socket, with an answer as `fetch` has it. */
async function inject(app: FastifyInstance, url: string, request: RequestInit = {}): Promise<Response> {
  const { statusCode, headers, rawPayload } = await app.inject({ url, ...(request as InjectOptions) });
  return new Response(rawPayload, { status: statusCode, headers: headers as Record<string, string> });
}

/** Returns the api that serves the rows. */
export function contract(): ServedContract {
  if (served === undefined) throw new Error('it is not served yet');
  return served;
}

/** Returns the data of an answer to the first client. */
export async function dataOf(path: string) {
  return (await contract().answer(path)).data;
}

export async function eventOf(id: number) {
  return (await dataOf(`/v2/events/${id}`)).competition.season.stage.group.event;
}

/** Returns a token of the first client with this expiration, Unix seconds. */
export function tokenUntil(expiration: number, key: Uint8Array = deriveKey(CLIENTS_KEY, 'tokens')): string {
  const { id, token } = contract().everything;
  const [, , , instance = ''] = token.split('.');
  return issueToken({ clientId: Number(id), expiration, instance }, key);
}

function operationOf(path: string) {
  const [pathname = ''] = path.split('?');
  const pattern = pathname.replace(/\/\d+/, '/{id}');
  return ALL_OPERATIONS.find((one) => one.path === pattern) ?? expect.fail(`${path} is of no operation`);
}

function withToken(path: string, token: string | null): string {
  if (token === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}token=${token}`;
}

function expectJson(response: Response): void {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
}
