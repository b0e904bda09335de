import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../support/listen.ts';
import { seeded } from '../../support/seed.ts';

/** Kinds of faults of a request. */
export type ProxyFault = 'burst' | 'hang' | 'cut' | 'slow' | 'revoke';

/** Share of requests with each fault, 0 to 1. */
export type ProxyFaults = Readonly<Record<ProxyFault, number>>;

/** No faults. */
export const NO_PROXY_FAULTS: ProxyFaults = { burst: 0, hang: 0, cut: 0, slow: 0, revoke: 0 };
/** Frequent faults of every kind. */
export const MANY_PROXY_FAULTS: ProxyFaults = {
  burst: 0.02,
  hang: 0.01,
  cut: 0.05,
  slow: 0.05,
  revoke: 0.03,
};

/** Maximum number of requests in a burst of answers 500. */
const BURST = 6;
/** Maximum delay of a slow answer, milliseconds. */
const SLOW_MS = 1_500;

/** A completely forwarded answer: its path, and the time of the request (Unix seconds). */
type Passed = { readonly path: string; readonly askedAt: number };

/**
 * A proxy between a poller and a provider. It forwards requests to the provider's replicas in turns, with faults of
 * networks, gateways and providers. The same seed gives the same faults.
 */
export class FaultyProxy {
  /** Addresses of the replicas; a missing replica breaks the connection. */
  targets: string[] = [];
  faults: ProxyFaults = NO_PROXY_FAULTS;
  /** Number of faults of each kind so far. */
  readonly counts: Record<ProxyFault, number> = { ...NO_PROXY_FAULTS };
  readonly passed: Passed[] = [];
  readonly url: string;
  readonly #random: () => number;
  readonly #revoked = new Set<string>();
  #burst = 0;
  #turn = 0;

  private constructor(server: Server, url: string, seed: number) {
    this.url = url;
    this.#random = seeded(seed);
    server.on(
      'request',
      (request, response) => void this.#take(request, response).catch(() => response.destroy()),
    );
  }

  /** Starts a proxy on a free port, which is stopped after the test or the file. */
  static async start(seed: number): Promise<FaultyProxy> {
    const server = createServer();
    return new FaultyProxy(server, `http://127.0.0.1:${await listen(server)}`, seed);
  }

  /** Returns the completely forwarded answers for a path that were requested at or after a time, Unix seconds. */
  passedSince(path: string, since: number): Passed[] {
    return this.passed.filter((one) => one.path === path && one.askedAt >= since);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const askedAt = Date.now() / 1000;
    const token = url.searchParams.get('token') ?? '';
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
    if (status === 200) this.passed.push({ path: url.pathname, askedAt });
  }

  async #forward(request: IncomingMessage): Promise<{ status: number; body: Buffer }> {
    const target = this.targets[this.#turn % this.targets.length];
    this.#turn += 1;
    if (target === undefined) throw new Error('there is no provider yet');
    return new Promise((resolve, reject) => {
      // Forwards the requested host, because the URLs of pages contain it.
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
