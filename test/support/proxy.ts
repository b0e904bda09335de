import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from './at-end.ts';

const HOST = '127.0.0.1';
/** What one direction of a connection holds back before it stops reading, bytes. */
const MOST_HELD = 1 << 20;

/**
 * A proxy in the test's own process between clients and the brokers of a cluster: one listening port for each of them.
 * What it does to connections is what networks do. Kafka clients connect to the addresses that brokers advertise, so a
 * broker has to advertise the proxy's port (`proxyPort` of `startKafka`); `startProxiedKafka` does it.
 */
export class TcpProxy {
  /** Ports to listen on, one for each broker, in their order. */
  readonly ports: readonly number[];
  readonly #servers: readonly Server[];
  readonly #open = new Set<Link>();
  #targets: readonly number[] = [];
  #accepted = 0;
  #delayMs = 0;
  #resumed = new AbortController();
  #frozen: PromiseWithResolvers<void> | undefined;

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
    this.ports = servers.map((server) => (server.address() as AddressInfo).port);
    for (const [index, server] of servers.entries())
      server.on('connection', (client: Socket) => this.#accept(client, this.#targets[index]));
  }

  /** One with free ports, ended with the test or the file. It breaks connections until it has targets. */
  static async start(brokers = 1): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(brokers);
    atEnd(() => proxy.close());
    return proxy;
  }

  /** The same, ended with this process. */
  static async open(brokers = 1): Promise<TcpProxy> {
    const servers = Array.from({ length: brokers }, () =>
      createServer({ allowHalfOpen: true, noDelay: true }),
    );
    for (const server of servers) await once(server.listen(0, HOST).unref(), 'listening');
    return new TcpProxy(servers);
  }

  /** The ports of this machine that the ports of the proxy stand for, in their order. */
  forwardTo(...targets: number[]): void {
    this.#targets = targets;
  }

  /** Addresses for clients. */
  get brokers(): string[] {
    return this.ports.map((port) => `${HOST}:${port}`);
  }

  /** Connections that clients have made since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Resets all open connections, or the one at that place in the order in which they were made. How many it were. */
  cut(index?: number): number {
    const links = index === undefined ? [...this.#open] : [...this.#open].slice(index, index + 1);
    for (const { client, upstream } of links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    return links.length;
  }

  /** Forwards nothing, in no direction, until `resume`; connections stay open, and new ones are accepted. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers<void>();
  }

  /** From now on everything arrives that much later, in order. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Ends `freeze` and `slow`; what was held back is forwarded at once, in order. */
  resume(): void {
    this.#delayMs = 0;
    this.#resumed.abort();
    this.#resumed = new AbortController();
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  async close(): Promise<void> {
    this.cut();
    this.resume();
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }

  #accept(client: Socket, target: number | undefined): void {
    this.#accepted += 1;
    client.on('error', () => {});
    if (target === undefined) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: HOST, port: target, allowHalfOpen: true, noDelay: true });
    const link: Link = { client, upstream };
    this.#open.add(link);
    client.once('close', () => this.#open.delete(link));
    this.#forward(client, upstream);
    this.#forward(upstream, client);
  }

  #forward(from: Socket, to: Socket): void {
    let held = 0;
    let last = Promise.resolve();
    const inOrder = (work: () => void): void => {
      const due = performance.now() + this.#delayMs;
      const { signal } = this.#resumed;
      last = last.then(async () => {
        const rest = due - performance.now();
        // Ended by `resume`, which is no failure.
        if (rest > 0) await delay(rest, undefined, { signal }).catch(() => {});
        await this.#frozen?.promise;
        work();
      });
    };
    from.on('data', (chunk: Buffer) => {
      held += chunk.length;
      if (held > MOST_HELD) from.pause();
      inOrder(() => {
        held -= chunk.length;
        if (to.writable) to.write(chunk);
        if (held <= MOST_HELD) from.resume();
      });
    });
    from.once('end', () => inOrder(() => to.end()));
    // A reset goes on as one: the other side is not to take what it has for all there is.
    from.on('error', () => inOrder(() => to.resetAndDestroy()));
  }
}

type Link = { readonly client: Socket; readonly upstream: Socket };
