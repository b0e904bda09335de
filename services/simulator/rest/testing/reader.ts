/** For tests: reads a provider as a client does, without a socket. */
import type { SimulatedProvider } from '../provider.ts';

/** What a provider answers. */
export type ReadAnswer = {
  readonly status: number;
  readonly timestamp: number;
  readonly total: number | undefined;
  readonly next: string;
  // biome-ignore lint/suspicious/noExplicitAny: records of every operation, looked into by tests
  readonly data: any;
  /** All of it, as it was parsed. */
  readonly body: unknown;
};

/** Reads with a token that is fetched when there is none that is good. */
export class ProviderReader {
  readonly #provider: SimulatedProvider;
  #token = '';

  constructor(provider: SimulatedProvider) {
    this.#provider = provider;
  }

  /** Fetches a token and uses it from now on; gives the answer. */
  async authenticate(): Promise<ReadAnswer> {
    const { id, secretKey } = this.#provider.client;
    const answer = await this.request('/v2/oauth', { client_id: id, secret_key: secretKey });
    this.#token = answer.data?.token ?? '';
    return answer;
  }

  /** One request, with a token; a 401 is answered with one more try. */
  async get(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<ReadAnswer> {
    const first = await this.request(path, { ...query, token: this.#token });
    if (first.status !== 401) return first;
    await this.authenticate();
    return this.request(path, { ...query, token: this.#token });
  }

  /** One request as it is. */
  async request(path: string, query: Readonly<Record<string, string | number>>): Promise<ReadAnswer> {
    const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const response = await this.#provider.app.inject({ path, query: Object.fromEntries(texts) });
    const body = response.json();
    const { api } = body;
    const { total_items: total, next_page: next = '' } = api.method ?? {};
    return { status: response.statusCode, timestamp: api.timestamp, total, next, data: api.data, body };
  }

  /** All items of a list, page by page, as they come. */
  async pages(path: string, query: Readonly<Record<string, string | number>>): Promise<ReadAnswer[]> {
    const pages: ReadAnswer[] = [];
    for (let page = 1; ; page++) {
      const answer = await this.get(path, { ...query, page });
      pages.push(answer);
      if (answer.next === '') return pages;
    }
  }
}

/** The events of a tree, in order. */
// biome-ignore lint/suspicious/noExplicitAny: records of events, looked into by tests
export function eventsIn(data: any): any[] {
  // biome-ignore lint/suspicious/noExplicitAny: any level of the tree
  const down = (items: any[], key: string): any[] => items.flatMap((item) => item[key]);
  return down(down(down(down(data.competitions, 'seasons'), 'stages'), 'groups'), 'events');
}
