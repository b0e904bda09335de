import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from './at-end.ts';

const HOST = '127.0.0.1';
/** Maximum number of bytes that one direction of a connection holds back before it stops reading. */
const MAX_HELD = 1 << 20;

/**
 * A proxy in the test's process between clients and the brokers of a cluster, with one listening port for each broker.
 * It simulates faults of networks. Kafka clients connect to the addresses that brokers advertise, so a broker must
 * advertise the proxy's port (`listeners` of `startTestKafka`); `startProxiedKafka` does this.
 */
export class TcpProxy {
  /** Ports to listen on, one for each broker, in their order. */
  readonly ports: readonly number[];
  /** Number of client connections since the start. */
  accepted = 0;
  readonly #servers: readonly Server[];
  readonly #open = new Set<Link>();
  #targets: readonly number[] = [];
  #delayMs = 0;
  #resumed = new AbortController();
  #frozen: PromiseWithResolvers<void> | undefined;

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
    this.ports = servers.map((server) => (server.address() as AddressInfo).port);
    for (const [index, server] of servers.entries())
      server.on('connection', (client: Socket) => this.#accept(client, this.#targets[index]));
  }

  /**
   * Opens a proxy with free ports, which is closed after the test or the file. It resets connections until it
   * has targets.
   */
  static async start(brokers = 1): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(brokers);
    atEnd(() => proxy.close());
    return proxy;
  }

  /** Opens a proxy that stays open until this process exits. */
  static async open(brokers = 1): Promise<TcpProxy> {
    const servers = Array.from({ length: brokers }, () =>
      createServer({ allowHalfOpen: true, noDelay: true }),
    );
    for (const server of servers) await once(server.listen(0, HOST).unref(), 'listening');
    return new TcpProxy(servers);
  }

  /** Sets the target ports on this machine, in the order of the proxy's ports. */
  forwardTo(...targets: number[]): void {
    this.#targets = targets;
  }

  get brokers(): string[] {
    return this.ports.map((port) => `${HOST}:${port}`);
  }

  get open(): number {
    return this.#open.size;
  }

  /**
   * Resets all open connections, or the one at `index` in the order of their creation. Returns the number of reset
   * connections.
   */
  cut(index?: number): number {
    const links = index === undefined ? [...this.#open] : [...this.#open].slice(index, index + 1);
    for (const { client, upstream } of links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    return links.length;
  }

  /** Forwards nothing in either direction until `resume`. Connections stay open, and new ones are accepted. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers<void>();
  }

  /** Delays all further data by this time, in order. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Ends `freeze` and `slow`, and forwards the held data at once, in order. */
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
    this.accepted += 1;
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
        // `resume` aborts the delay, which is no failure.
        if (rest > 0) await delay(rest, undefined, { signal }).catch(() => {});
        await this.#frozen?.promise;
        work();
      });
    };
    from.on('data', (chunk: Buffer) => {
      held += chunk.length;
      if (held > MAX_HELD) from.pause();
      inOrder(() => {
        held -= chunk.length;
        if (to.writable) to.write(chunk);
        if (held <= MAX_HELD) from.resume();
      });
    });
    from.once('end', () => inOrder(() => to.end()));
    // Forwards a reset as a reset: the other side must not take incomplete data for complete.
    from.on('error', () => inOrder(() => to.resetAndDestroy()));
  }
}

type Link = { readonly client: Socket; readonly upstream: Socket };
