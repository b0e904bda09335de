import type { Cluster } from '../broker/cluster.ts';
import { type Assignment, partitionsIn } from '../broker/group-messages.ts';
import { NetworkError } from '../broker/protocol-error.ts';
import { currentProcess, type Process } from '../world/world.ts';

/** Sends a broker's response, a value or an error. Called once, at once or later. */
export type Respond = (response: { readonly value: unknown } | { readonly error: Error }) => void;

/** Handles a request at a broker. */
type Handler = (cluster: Cluster, broker: number, respond: Respond, args: readonly unknown[]) => void;

/** Equals the request timeout in connections.ts. */
const REQUEST_MS = 15_000;
export const PORT = 9092;

type Pending = { reject(error: Error): void };

/** A connection between a process and a broker. It replaces the library's `Connection`. */
export class SimulatedConnection {
  readonly #process: Process;
  readonly #cluster: Cluster;
  readonly #closeListeners: (() => void)[] = [];
  #broker: number | null = null;
  readonly #pending = new Set<Pending>();
  /** Arrival of the last request at the broker: requests arrive in order. */
  #lastArrival = 0;
  /** Arrival of the last response at the process: responses arrive in order. */
  #lastResponse = 0;
  readonly socket = { destroy(): void {} };

  constructor() {
    this.#process = currentProcess();
    this.#cluster = clusters.get(this.#process.world) as Cluster;
  }

  connect(host: string, _port: number): Promise<void> {
    const { world } = this.#process;
    const id = Number(host.slice(host.indexOf('-') + 1));
    return new Promise((resolve, reject) => {
      world.deliver(this.#process, latency(this.#process), () => {
        const broker = this.#cluster.brokers[id];
        if (broker === undefined || !broker.isUp) {
          reject(new NetworkError('PLT_KFK_NETWORK', `Connection to ${host} failed`));
          return;
        }
        this.#broker = id;
        broker.connections.add(this);
        resolve();
      });
    });
  }

  isConnected(): boolean {
    return this.#broker !== null;
  }

  on(event: string, listener: () => void): void {
    if (event === 'close') this.#closeListeners.push(listener);
  }

  once(event: string, listener: () => void): void {
    this.on(event, listener);
  }

  async close(): Promise<void> {
    if (this.#broker === null) return;
    this.#leave();
    this.#lost();
  }

  /** Ends the connection at the broker or in the network. The process notices after the latency. */
  cut(): void {
    this.#leave();
    this.#process.world.deliver(this.#process, latency(this.#process), () => this.#lost());
  }

  /** Sends a request, and resolves with the response. Rejects with `NetworkError`, or the broker's error. */
  request(name: string, handle: Handler, args: readonly unknown[]): Promise<unknown> {
    const process = this.#process;
    const { world } = process;
    const broker = this.#broker;
    return new Promise((resolve, reject) => {
      if (broker === null) {
        reject(new NetworkError('PLT_KFK_NETWORK', 'Connection closed'));
        return;
      }
      const { pauseAtRequest: pause } = process;
      if (pause !== null && (pause.name ?? name) === name) {
        world.note(process.name, `is paused for ${Math.round(pause.ms)} ms, as it sends ${name}`);
        process.pausedUntil = world.now + pause.ms;
        process.pauseAtRequest = null;
      }
      const pending: Pending = { reject };
      this.#pending.add(pending);
      const sentAt = world.now;
      const settle = (ms: number, settled: () => void): void => {
        const late = world.now + ms - sentAt > REQUEST_MS;
        const at = late ? Math.max(0, sentAt + REQUEST_MS - world.now) : ms;
        world.deliver(process, at, () => {
          if (!this.#pending.delete(pending)) return;
          if (late) reject(new NetworkError('PLT_KFK_TIMEOUT', 'Request timed out'));
          else settled();
        });
      };
      const hangs = Math.max(0, (this.#cluster.brokers[broker]?.hangsUntil ?? 0) - world.now);
      this.#lastArrival = Math.max(this.#lastArrival, world.now + hangs + latency(process));
      if (this.#lastArrival - sentAt > REQUEST_MS) settle(REQUEST_MS + 1, () => {});
      world.after(this.#lastArrival - world.now, () => {
        if (this.#broker !== broker) return;
        handle(
          this.#cluster,
          broker,
          (response) => {
            this.#lastResponse = Math.max(this.#lastResponse, world.now + latency(process));
            if (world.history !== null && !HIDDEN.has(name))
              world.note(process.name, `${name} → ${'error' in response ? response.error.message : 'done'}`);
            settle(this.#lastResponse - world.now, () => {
              if ('error' in response) reject(response.error);
              else {
                this.#confirm(name, sentAt, args, response.value);
                resolve(response.value);
              }
            });
          },
          args,
        );
      });
    });
  }

  /** Reports a response that confirms a member of a group. */
  #confirm(name: string, sentAt: number, args: readonly unknown[], value: unknown): void {
    if (name !== 'Heartbeat' && name !== 'SyncGroup') return;
    const [, generation] = args as readonly [string, number];
    const { assignment } = value as { readonly assignment?: Assignment };
    const partitions = partitionsIn(assignment?.assignedPartitions);
    const assigned = name === 'SyncGroup' ? { generation, partitions } : null;
    this.#cluster.listener.onConfirmed?.(this.#process, sentAt, assigned);
  }

  #leave(): void {
    if (this.#broker !== null) this.#cluster.brokers[this.#broker]?.connections.delete(this);
    this.#broker = null;
  }

  #lost(): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const { reject } of pending) reject(new NetworkError('PLT_KFK_NETWORK', 'Connection closed'));
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}

/** Requests that a history does not show. */
const HIDDEN = new Set(['Fetch', 'Metadata', 'FindCoordinator', 'ListOffsets', 'Heartbeat']);

/** The cluster of each world. */
export const clusters = new WeakMap<object, Cluster>();

/** Returns the bootstrap brokers of a cluster. */
export function bootstrap(cluster: Cluster): string[] {
  return cluster.brokers.map(({ host }) => `${host}:${PORT}`);
}

/** Returns a random latency of one direction, milliseconds; rarely a long one. */
function latency({ world }: Process): number {
  const { random } = world;
  const chance = random.next();
  if (chance < 0.98) return 0.05 + chance;
  return chance < 0.998 ? random.between(1, 30) : random.between(30, 1_500);
}
