import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { RAISE_HEAP } from '#errors/shortages.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';
import type { TracingOptions } from '#tracing/tracer.ts';
import type { ReceiverAppOptions } from './app.ts';
import type { ThreadReport } from './tally.ts';

/** The settings that a thread starts with. */
export type ThreadSettings = Pick<
  ReceiverAppOptions,
  'secrets' | 'bodyLimit' | 'answerTimeoutMs' | 'limits'
> & {
  readonly brokers: Brokers;
  readonly registryUrl: RegistryUrl;
  readonly prefix: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly host: string;
  /** Whether other threads listen on the same port; the system spreads connections over them. */
  readonly sharesPort: boolean;
  /** Timeout of connecting to the broker, milliseconds. */
  readonly connectTimeoutMs: number;
  /** Maximum number of bytes of records that wait for the broker. */
  readonly maxQueueBytes: number;
  readonly tls: ServerTlsFiles | null;
  readonly logLevel: string;
  readonly tracing: TracingOptions | null;
};

/**
 * A message to a thread. `report`: report now; `drain`: make each answer end its connection; `stop`: finish pending
 * requests, then end.
 */
export type ToReceiverThread = 'report' | 'drain' | 'stop';

/** A message from a thread: the port on which it listens from now on, or a report. */
export type FromReceiverThread = { readonly port: number } | ThreadReport;

/** Thrown when a thread of the receiver ends unexpectedly. */
class ThreadError extends TouchlineError<'ThreadError'> {
  override readonly name = 'ThreadError';

  constructor(cause: unknown) {
    const isHeapFull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const why = isHeapFull ? `: its heap is full: ${RAISE_HEAP}` : '';
    super('THREAD_ENDED', `a thread of the receiver ended unexpectedly${why}`, cause);
  }
}

type ThreadsOptions = {
  readonly onReport: (report: ThreadReport) => void;
  /** Called once for each thread that ends unexpectedly. */
  readonly onFailure: (error: ThreadError) => void;
};

type Thread = { readonly worker: Worker; last: ThreadReport | null };

/** The threads of a receiver. Each is a complete receiver; all listen on one port. */
export class ReceiverThreads {
  readonly #options: ThreadsOptions;
  readonly #threads = new Set<Thread>();
  #reporting: Promise<void> | null = null;
  #stopping = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /**
   * Starts the threads. Resolves to their port once all of them listen. Rejects when the port is in use, or when a
   * thread cannot reach the broker or the registry.
   */
  async start(count: number, settings: Omit<ThreadSettings, 'sharesPort'>): Promise<number> {
    const sharesPort = count > 1;
    if (sharesPort && settings.port !== 0) await checkPortIsFree(settings);
    try {
      const port = await this.#start({ ...settings, sharesPort });
      const others = Array.from({ length: count - 1 }, () => this.#start({ ...settings, port, sharesPort }));
      // Await all, so that no thread is still starting when the listening ones are stopped.
      for (const other of await Promise.allSettled(others))
        if (other.status === 'rejected') throw other.reason;
      return port;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Returns a figure summed over the last reports of all threads. */
  total(figure: 'pendingBytes' | 'connections' | 'unprovenBytes'): number {
    return [...this.#threads].reduce((sum, { last }) => sum + (last?.[figure] ?? 0), 0);
  }

  /** Whether the broker acknowledged the last records of each thread. */
  get healthy(): boolean {
    return !this.#stopping && [...this.#threads].every(({ last }) => last?.healthy ?? true);
  }

  /** Requests a report of every thread. Resolves when all have reported. */
  report(): Promise<void> {
    this.#reporting ??= Promise.all([...this.#threads].map(requestReport)).then(() => {
      this.#reporting = null;
    });
    return this.#reporting;
  }

  /** Makes each further answer end its connection. */
  drain(): void {
    for (const { worker } of this.#threads) worker.postMessage('drain' satisfies ToReceiverThread);
  }

  /** Waits for the pending requests, then ends the threads. */
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

  /** Starts a thread. Resolves to its port. */
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

/** Requests a report of a thread. Resolves when the report arrives or the thread ends. */
async function requestReport({ worker }: Thread): Promise<void> {
  const answered = new AbortController();
  const { signal } = answered;
  worker.postMessage('report' satisfies ToReceiverThread);
  await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })]);
  answered.abort();
}

/** Rejects when the port is in use. Without this check, a second receiver could share it and get half of all deliveries. */
async function checkPortIsFree({ port, host }: Pick<ThreadSettings, 'port' | 'host'>): Promise<void> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
