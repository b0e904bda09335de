/** Serves the contract by a real process, from topics that the real pipeline has written. */
import { beforeAll, expect } from 'vitest';
import { deriveKey } from '#clients/keys.ts';
import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope, answerError } from '#contract/rest/records/envelope.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { issueToken } from '#signing/token.ts';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, CLIENTS_KEY, clients, credentialsOf, startApi } from '../../support/api.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';
import { publishValues } from '../../support/publish-values.ts';
import { rulesFolder, TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SeenValues } from './values.ts';
import { LEAGUE_RULES, messages } from './world.ts';
import { catalogue } from './world-catalogue.ts';

/** A client of the command line, with a token. */
export type ServedClient = { readonly id: string; readonly secret: string; readonly token: string };

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

/** An api that serves `world.ts`, with an unrestricted and a restricted client. */
export class ServedApi {
  readonly api: ApiReplica;
  readonly everything: ServedClient;
  readonly narrow: ServedClient;
  /** The values of all answers so far. */
  readonly seen = new SeenValues();
  readonly #tables: TablesPipeline;

  private constructor(
    api: ApiReplica,
    tables: TablesPipeline,
    everything: ServedClient,
    narrow: ServedClient,
  ) {
    this.api = api;
    this.#tables = tables;
    this.everything = everything;
    this.narrow = narrow;
  }

  static async start(): Promise<ServedApi> {
    const tables = await TablesPipeline.create(backbone());
    const { pipeline } = tables;
    const { place } = pipeline;
    pipeline.startProcessor();
    tables.startTables({ RULES_DIR: rulesFolder({ 'league.json': LEAGUE_RULES }) });
    await Promise.all([pipeline.feed(messages()), publishCatalogue(place)]);
    const [everything, narrow] = await Promise.all([
      clients(place, 'add --id 1 --name everything'),
      clients(
        place,
        `add --id 2 --competitions ${NARROW.competitions} --operations ${NARROW.operations.join(',')}`,
      ),
      tables.settled(),
    ]);
    const api = await startApi(place, temporaryFolder());
    return new ServedApi(api, tables, await clientOf(api, everything), await clientOf(api, narrow));
  }

  /** The connection of the system. */
  get place(): PipelineConnection {
    return this.#tables.pipeline.place;
  }

  /** Publishes messages as the receiver does, and waits until they are processed. */
  async publish(...messages: readonly NormalizedMessage[]): Promise<void> {
    const { pipeline } = this.#tables;
    await pipeline.feed(messages);
    await pipeline.settled();
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
   * Expects exactly an error of the contract, and returns it. It contains nothing of the request, so it names no
   * parameter.
   */
  async refuses(path: string, code: RestErrorCode, token: string | null = this.everything.token) {
    const response = await this.api.get(withToken(path, token));
    const body = await response.text();
    const { status, message, internalCode } = REST_ERRORS[code];
    expect(response.status, `${path} ${body.slice(0, 300)}`).toBe(status);
    expectJson(response);
    const { api } = answerError.parse(JSON.parse(body));
    expect(JSON.parse(body), path).toEqual({
      api: {
        ver: api.ver,
        timestamp: api.timestamp,
        error: { message, internal_code: internalCode },
      },
    });
    return api.error;
  }
}

let served: ServedApi | undefined;

/** Starts the api before all tests of the file. */
export function serveOnce(): void {
  beforeAll(async () => {
    served = await ServedApi.start();
  });
}

/** Returns the api of this file. */
export function contract(): ServedApi {
  if (served === undefined) throw new Error('it is not served yet');
  return served;
}

/** Requests a path as the first client, as `answer` does, and returns the data. */
export async function dataOf(path: string) {
  return (await contract().answer(path)).data;
}

/** Returns a token of the first client with this expiration, Unix seconds. */
export function tokenUntil(expiration: number): string {
  return issueToken(1, expiration, deriveKey(CLIENTS_KEY, 'tokens'));
}

/** Returns the operation of a path with its query. */
function operationOf(path: string) {
  const [pathname = ''] = path.split('?');
  const pattern = pathname.replace(/\/\d+/, '/{id}');
  const found = ALL_OPERATIONS.find((one) => one.path === pattern);
  if (found === undefined) throw new Error(`${path} is of no operation`);
  return found;
}

function withToken(path: string, token: string | null): string {
  if (token === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}token=${token}`;
}

function expectJson(response: Response): void {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
}

function publishCatalogue(place: PipelineConnection): Promise<void> {
  return publishValues(
    place,
    'catalogue',
    catalogue().map((value) => ({ key: `${value.kind}/${value.id}`, value })),
  );
}

async function clientOf(api: ApiReplica, credentials: string): Promise<ServedClient> {
  return { ...credentialsOf(credentials), token: await api.token(credentials) };
}
