/** The served contract as the rows read it, whoever serves it. */
import { expect } from 'vitest';
import { deriveKey } from '#clients/keys.ts';
import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope, answerError } from '#contract/rest/records/envelope.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { issueToken } from '#signing/token.ts';
import { CLIENTS_KEY } from '../../support/environment.ts';
import { SeenValues } from './values.ts';

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

/** Where the rows send their requests: a process, or a server in this process. */
export type ContractApi = {
  readonly url: string;
  /** Requests a path with its query. */
  get(path: string, request?: RequestInit): Promise<Response>;
};

/** An api that serves `world.ts`, with an unrestricted and a restricted client. */
export abstract class ServedContract {
  abstract readonly api: ContractApi;
  abstract readonly everything: ServedClient;
  abstract readonly narrow: ServedClient;
  /** The values of all answers so far. */
  readonly seen = new SeenValues();

  /** Publishes messages as the receiver does, and waits until they are processed. */
  abstract publish(...messages: readonly NormalizedMessage[]): Promise<void>;

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

let served: ServedContract | undefined;

/** Serves the rows by this api from now on. */
export function serveBy(api: ServedContract): void {
  served = api;
}

/** Returns the api that serves the rows. */
export function contract(): ServedContract {
  if (served === undefined) throw new Error('it is not served yet');
  return served;
}

/** Requests a path as the first client, as `answer` does, and returns the data. */
export async function dataOf(path: string) {
  return (await contract().answer(path)).data;
}

/** Returns a token of the first client with this expiration, Unix seconds. */
export function tokenUntil(expiration: number, key: Uint8Array = deriveKey(CLIENTS_KEY, 'tokens')): string {
  const { id, token } = contract().everything;
  const [, , , instance = ''] = token.split('.');
  return issueToken({ clientId: Number(id), expiration, instance }, key);
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
