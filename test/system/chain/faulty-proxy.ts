import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { atEnd } from '../../support/at-end.ts';
import { seeded } from '../../support/seed.ts';

/** What may become of a request on its way. */
export type ProxyFault = 'burst' | 'hang' | 'cut' | 'slow' | 'revoke';

/** The share of requests that each fault is thrown for, 0 to 1. */
export type ProxyFaults = Readonly<Record<ProxyFault, number>>;

/** Nothing goes wrong. */
export const NO_PROXY_FAULTS: ProxyFaults = { burst: 0, hang: 0, cut: 0, slow: 0, revoke: 0 };
/** Every kind, often. */
export const MANY_PROXY_FAULTS: ProxyFaults = {
  burst: 0.02,
  hang: 0.01,
  cut: 0.05,
  slow: 0.05,
  revoke: 0.03,
};

/** Requests that a burst of answers 500 takes at most. */
const BURST = 6;
/** How late a slow answer is at most, milliseconds. */
const SLOW_MS = 1_500;

/** An answer that came through whole: its path, its query, and when it was asked for (Unix seconds). */
export type Passed = { readonly path: string; readonly query: URLSearchParams; readonly askedAt: number };

/**
 * What stands between a poller and a provider: sends requests on to the provider's replicas by turns, and does to them
 * what networks, gateways and providers do. The same seed throws the same dice.
 */
export class FaultyProxy {
  /** Addresses of the replicas; one that is not there breaks the connection. */
  targets: string[] = [];
  faults: ProxyFaults = NO_PROXY_FAULTS;
  /** Requests for that path are sent on only when this has resolved; null: none waits. */
  held: { readonly path: string; readonly until: Promise<void> } | null = null;
  /** How often each fault was done. */
  readonly counts: Record<ProxyFault, number> = { ...NO_PROXY_FAULTS };
  readonly passed: Passed[] = [];
  readonly #server: Server;
  readonly #random: () => number;
  readonly #revoked = new Set<string>();
  #burst = 0;
  #turn = 0;

  private constructor(server: Server, seed: number) {
    this.#server = server;
    this.#random = seeded(seed);
    server.on(
      'request',
      (request, response) => void this.#take(request, response).catch(() => response.destroy()),
    );
  }

  /** One on a free port, ended with the test or the file. */
  static async start(seed: number): Promise<FaultyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return new FaultyProxy(server, seed);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers to that path that came through whole and were asked for at or after a time, Unix seconds. */
  passedSince(path: string, since: number): Passed[] {
    return this.passed.filter((one) => one.path === path && one.askedAt >= since);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const askedAt = Date.now() / 1000;
    const token = url.searchParams.get('token') ?? '';
    if (this.held?.path === url.pathname) await this.held.until;
    if (this.#burst === 0 && this.#strikes('burst')) this.#burst = 1 + Math.floor(this.#random() * BURST);
    if (this.#burst > 0) {
      this.#burst -= 1;
      response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    if (this.#strikes('hang')) return;
    if (token !== '' && this.#strikes('revoke')) this.#revoked.add(token);
    if (this.#revoked.has(token)) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { status, body } = await this.#forward(request);
    if (this.#strikes('slow')) await late(this.#random() * SLOW_MS);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    if (body.length > 1 && this.#strikes('cut')) {
      response.write(body.subarray(0, body.length >> 1), () => response.destroy());
      return;
    }
    response.end(body);
    if (status === 200) this.passed.push({ path: url.pathname, query: url.searchParams, askedAt });
  }

  async #forward(request: IncomingMessage): Promise<{ status: number; body: Buffer }> {
    const target = this.targets[this.#turn % this.targets.length];
    this.#turn += 1;
    if (target === undefined) throw new Error('there is no provider yet');
    return new Promise((resolve, reject) => {
      // The host that was asked goes along: the addresses of pages are made of it.
      const headers = { host: request.headers.host, accept: 'application/json' };
      ask(new URL(request.url ?? '/', target), { headers })
        .on('response', (answer) =>
          buffer(answer).then((body) => resolve({ status: answer.statusCode ?? 502, body }), reject),
        )
        .on('error', reject)
        .end();
    });
  }

  #strikes(fault: ProxyFault): boolean {
    const struck = this.#random() < this.faults[fault];
    if (struck) this.counts[fault] += 1;
    return struck;
  }
}

function late(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
