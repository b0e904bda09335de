import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { request as ask } from 'undici';
import { serve } from '../../support/listen.ts';
import { seeded } from '../../support/seed.ts';

export type ProxyFault = 'burst' | 'hang' | 'cut' | 'slow' | 'revoke';

export type ProxyFaults = Readonly<Record<ProxyFault, number>>;

export const NO_PROXY_FAULTS: ProxyFaults = { burst: 0, hang: 0, cut: 0, slow: 0, revoke: 0 };
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
  readonly counts: Record<ProxyFault, number> = { ...NO_PROXY_FAULTS };
  readonly passed: Passed[] = [];
  url = '';
  readonly #random: () => number;
  readonly #revoked = new Set<string>();
  #burst = 0;
  #turn = 0;

  private constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** Starts a proxy on a free port, which is stopped after the test or the file. */
  static async start(seed: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(seed);
    proxy.url = await serve(
      (request, response) => void proxy.#take(request, response).catch(() => response.destroy()),
    );
    return proxy;
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
    if (this.#strikes('slow')) await delay(this.#random() * SLOW_MS);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    if (body.length > 1 && this.#strikes('cut')) {
      response.write(body.subarray(0, body.length >> 1), () => response.destroy());
      return;
    }
    response.end(body);
    if (status === 200) this.passed.push({ path: url.pathname, askedAt });
  }

  async #forward({ url = '/', headers: { host = '' } }: IncomingMessage) {
    const target = this.targets[this.#turn % this.targets.length];
    this.#turn += 1;
    if (target === undefined) throw new Error('there is no provider yet');
    // Forwards the requested host, because the URLs of pages contain it.
    const headers = { host, accept: 'application/json' };
    const { statusCode: status, body } = await ask(new URL(url, target), { headers });
    return { status, body: Buffer.from(await body.arrayBuffer()) };
  }

  #strikes(fault: ProxyFault): boolean {
    const struck = this.#random() < this.faults[fault];
    if (struck) this.counts[fault] += 1;
    return struck;
  }
}
