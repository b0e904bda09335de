import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';
import type { TracingOptions } from '#tracing/tracer.ts';
import type { ReceiverAppOptions } from './app.ts';
import type { ThreadReport } from './tally.ts';

/** Settings of a thread. */
export type ThreadSettings = Pick<
  ReceiverAppOptions,
  'secrets' | 'bodyLimit' | 'answerTimeoutMs' | 'limits'
> & {
  readonly brokers: Brokers;
  readonly registryUrl: RegistryUrl;
  readonly prefix: string;
  /** 0: a free one. */
  readonly port: number;
  readonly host: string;
  /** Whether other threads listen on the port too: the system spreads connections over them. */
  readonly sharesPort: boolean;
  /** Longest time until it is connected to the broker, milliseconds. */
  readonly connectWithinMs: number;
  /** Most bytes of records that wait for the broker. */
  readonly maxQueueBytes: number;
  readonly tls: ServerTlsFiles | null;
  readonly logLevel: string;
  readonly tracing: TracingOptions | null;
};

/** To a thread; `report`: at once; `drain`: end connections with their answers; `stop`: finish pending requests, then end. */
export type ToReceiverThread = 'report' | 'drain' | 'stop';

/** From a thread; `port`: it listens there from now on. */
export type FromReceiverThread = { readonly port: number } | ThreadReport;

/** A thread of the receiver ended unexpectedly. */
class ThreadError extends TouchlineError<'ThreadError'> {
  override readonly name = 'ThreadError';

  constructor(cause: unknown) {
    super('THREAD_ENDED', 'a thread of the receiver ended by itself', cause);
  }
}

/** Receives the reports of the threads. */
export type ThreadsOptions = {
  readonly onReport: (report: ThreadReport) => void;
  /** Called once where a thread ended unexpectedly. */
  readonly onFailure: (error: ThreadError) => void;
};

type Thread = { readonly worker: Worker; last: ThreadReport | null };

/** The threads of a receiver: each a complete receiver, all on one port. */
export class ReceiverThreads {
  readonly #options: ThreadsOptions;
  readonly #threads = new Set<Thread>();
  #reporting: Promise<void> | null = null;
  #stopping = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /**
   * Starts the threads and resolves to their port once all of them listen. Rejects where the port is taken, or a thread
   * cannot reach the broker or the registry.
   */
  async start(count: number, settings: Omit<ThreadSettings, 'sharesPort'>): Promise<number> {
    const sharesPort = count > 1;
    if (sharesPort && settings.port !== 0) await refuseTaken(settings);
    try {
      const port = await this.#start({ ...settings, sharesPort });
      const others = Array.from({ length: count - 1 }, () => this.#start({ ...settings, port, sharesPort }));
      // Await all, so that none is still starting when the listening ones are stopped.
      for (const other of await Promise.allSettled(others))
        if (other.status === 'rejected') throw other.reason;
      return port;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Unacknowledged bytes of records in all threads, at their last reports. */
  get pendingBytes(): number {
    return this.#sum('pendingBytes');
  }

  /** Open connections of all threads, at their last reports. */
  get connections(): number {
    return this.#sum('connections');
  }

  /** Unproven bytes of bodies in all threads, at their last reports. */
  get unprovenBytes(): number {
    return this.#sum('unprovenBytes');
  }

  /** Whether the broker acknowledged the last send of each thread. */
  get healthy(): boolean {
    return !this.#stopping && [...this.#threads].every(({ last }) => last?.healthy ?? true);
  }

  /** Resolves when every thread has reported its counts until now. */
  report(): Promise<void> {
    this.#reporting ??= Promise.all([...this.#threads].map(askForReport)).then(() => {
      this.#reporting = null;
    });
    return this.#reporting;
  }

  /** From now on each answer ends its connection. */
  drain(): void {
    for (const { worker } of this.#threads) worker.postMessage('drain' satisfies ToReceiverThread);
  }

  /** Waits for the threads' pending requests, and ends the threads. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#threads].map(async ({ worker }) => {
        const ended = once(worker, 'exit');
        worker.postMessage('stop' satisfies ToReceiverThread);
        await ended;
      }),
    );
  }

  #sum(of: 'pendingBytes' | 'connections' | 'unprovenBytes'): number {
    return [...this.#threads].reduce((sum, { last }) => sum + (last?.[of] ?? 0), 0);
  }

  /** Resolves to the port of the thread. */
  async #start(settings: ThreadSettings): Promise<number> {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: settings });
    const thread: Thread = { worker, last: null };
    const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      reject(failure ?? new ThreadError(undefined));
      const listened = this.#threads.delete(thread);
      if (listened && !this.#stopping) this.#options.onFailure(new ThreadError(failure));
    });
    worker.on('message', (message: FromReceiverThread) => {
      if ('port' in message) {
        this.#threads.add(thread);
        resolve(message.port);
        return;
      }
      thread.last = message;
      this.#options.onReport(message);
    });
    return listening;
  }
}

/** Resolves with the next report of a thread, or when it ends. */
async function askForReport({ worker }: Thread): Promise<void> {
  const answered = new AbortController();
  const { signal } = answered;
  worker.postMessage('report' satisfies ToReceiverThread);
  await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })]);
  answered.abort();
}

/** Threads may share a port, and so could another receiver started by mistake: it would get half of all deliveries. */
async function refuseTaken({ port, host }: Pick<ThreadSettings, 'port' | 'host'>): Promise<void> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
