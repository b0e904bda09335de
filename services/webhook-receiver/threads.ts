import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { AdmissionLimits } from './admission.ts';
import type { Report } from './tally.ts';

/** What a thread is started with. */
export type ThreadSettings = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly prefix: string;
  readonly secrets: readonly string[];
  /** 0: a free one. */
  readonly port: number;
  readonly host: string;
  /** Whether other threads listen on the port too: the system spreads connections over them. */
  readonly sharesPort: boolean;
  /** Largest body that is taken, in bytes. */
  readonly bodyLimit: number;
  /** Longest time until an answer, in milliseconds. */
  readonly answerTimeoutMs: number;
  /** Longest time until it is connected to the broker, in milliseconds. */
  readonly connectWithinMs: number;
  /** Most bytes of records that wait for the broker. */
  readonly maxQueueBytes: number;
  readonly limits: AdmissionLimits;
  readonly logLevel: string;
};

/** To a thread; `report`: at once; `stop`: finish what is under way, then end. */
export type ToThread = 'report' | 'stop';

/** From a thread; `port`: it listens there from now on. */
export type FromThread = { readonly port: number } | Report;

/** A thread of the receiver ended by itself. */
class ThreadError extends TouchlineError<'ThreadError'> {
  override readonly name = 'ThreadError';

  constructor(cause: unknown) {
    super('THREAD_ENDED', 'a thread of the receiver ended by itself', cause);
  }
}

/** Who is told of what the threads do. */
export type ThreadsOptions = {
  readonly onReport: (report: Report) => void;
  /** Told once that a thread ended by itself. */
  readonly onFailure: (error: ThreadError) => void;
};

type Thread = { readonly worker: Worker; last: Report | null };

/** The threads of a receiver: each a receiver of its own, all on one port. */
export class ReceiverThreads {
  readonly #options: ThreadsOptions;
  readonly #threads = new Set<Thread>();
  #reporting: Promise<void> | null = null;
  #stopping = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /**
   * Starts so many threads and resolves to their port when all of them listen. Rejects where the port is taken, or a
   * thread cannot reach the broker or the registry.
   */
  async start(count: number, settings: Omit<ThreadSettings, 'sharesPort'>): Promise<number> {
    const sharesPort = count > 1;
    if (sharesPort && settings.port !== 0) await refuseTaken(settings);
    try {
      const port = await this.#start({ ...settings, sharesPort });
      const others = Array.from({ length: count - 1 }, () => this.#start({ ...settings, port, sharesPort }));
      // All of them, so that none is still starting when those that listen are stopped.
      for (const other of await Promise.allSettled(others))
        if (other.status === 'rejected') throw other.reason;
      return port;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Bytes of records that the threads have not had acknowledged, when they last reported. */
  get pendingBytes(): number {
    return this.#sum('pendingBytes');
  }

  /** Open connections of all threads, when they last reported. */
  get connections(): number {
    return this.#sum('connections');
  }

  /** Bytes that all threads held of bodies whose signature was not proven, when they last reported. */
  get unprovenBytes(): number {
    return this.#sum('unprovenBytes');
  }

  /** Whether the broker acknowledged what each thread last sent to it. */
  get healthy(): boolean {
    return !this.#stopping && [...this.#threads].every(({ last }) => last?.healthy ?? true);
  }

  /** Resolves when every thread has reported what it has done until now. */
  report(): Promise<void> {
    this.#reporting ??= Promise.all([...this.#threads].map(askForReport)).then(() => {
      this.#reporting = null;
    });
    return this.#reporting;
  }

  /** Lets the threads finish what is under way, and ends them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#threads].map(async ({ worker }) => {
        const ended = once(worker, 'exit');
        worker.postMessage('stop' satisfies ToThread);
        await ended;
      }),
    );
  }

  #sum(of: 'pendingBytes' | 'connections' | 'unprovenBytes'): number {
    return [...this.#threads].reduce((sum, { last }) => sum + (last?.[of] ?? 0), 0);
  }

  /** Resolves to the port that the thread listens on. */
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
    worker.on('message', (message: FromThread) => {
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
  worker.postMessage('report' satisfies ToThread);
  await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })]);
  answered.abort();
}

/** Threads may share a port, and so might another receiver that was started by mistake: it would get half of all deliveries. */
async function refuseTaken({ port, host }: Pick<ThreadSettings, 'port' | 'host'>): Promise<void> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
