/** For tests: reads a provider as a client does, without a socket. */
import type { SimulatedProvider } from '../provider.ts';

/** An answer of the provider. */
type ReadAnswer = {
  readonly status: number;
  readonly timestamp: number;
  readonly total: number | undefined;
  readonly next: string;
  // biome-ignore lint/suspicious/noExplicitAny: records of every operation, looked into by tests
  readonly data: any;
  /** The whole answer, parsed. */
  readonly body: unknown;
};

/** Reads with a token, which it fetches when it has no valid one. */
export class ProviderReader {
  readonly #provider: SimulatedProvider;
  #token = '';

  constructor(provider: SimulatedProvider) {
    this.#provider = provider;
  }

  /** Fetches a token and uses it from now on. Returns the answer. */
  async authenticate(): Promise<ReadAnswer> {
    const { id, secretKey } = this.#provider.client;
    const answer = await this.request('/v2/oauth', { client_id: id, secret_key: secretKey });
    this.#token = answer.data?.token ?? '';
    return answer;
  }

  /** Sends a request with a token. Retries it once after 401. */
  async get(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<ReadAnswer> {
    const first = await this.request(path, { ...query, token: this.#token });
    if (first.status !== 401) return first;
    await this.authenticate();
    return this.request(path, { ...query, token: this.#token });
  }

  /** Sends a request unchanged. */
  async request(path: string, query: Readonly<Record<string, string | number>>): Promise<ReadAnswer> {
    const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const response = await this.#provider.app.inject({ path, query: Object.fromEntries(texts) });
    const body = response.json();
    const { api } = body;
    const { total_items: total, next_page: next = '' } = api.method ?? {};
    return { status: response.statusCode, timestamp: api.timestamp, total, next, data: api.data, body };
  }

  /** Returns all pages of a list. */
  async pages(path: string, query: Readonly<Record<string, string | number>>): Promise<ReadAnswer[]> {
    const pages: ReadAnswer[] = [];
    for (let page = 1; ; page++) {
      const answer = await this.get(path, { ...query, page });
      pages.push(answer);
      if (answer.next === '') return pages;
    }
  }
}

/** Returns the events of a tree, in order. */
// biome-ignore lint/suspicious/noExplicitAny: records of events, looked into by tests
export function eventsIn(data: any): any[] {
  // biome-ignore lint/suspicious/noExplicitAny: any level of the tree
  const down = (items: any[], key: string): any[] => items.flatMap((item) => item[key]);
  return down(down(down(down(data.competitions, 'seasons'), 'stages'), 'groups'), 'events');
}
