import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PublishError } from '#streams/publish-error.ts';
import { type FromWorker, packBodies, type Report, type ToWorker, type WorkerSettings } from './threads.ts';

/** A delivery failed for another reason than that the broker did not take it. */
export class IntakeError extends Error {
  readonly code = 'INTAKE_FAILED';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IntakeError';
  }
}

/** How a pool works. */
export type PoolOptions = {
  readonly workers: number;
  readonly settings: WorkerSettings;
  /** Most bytes of bodies that are not stored yet; what comes on top is refused. */
  readonly maxPendingBytes: number;
  /** Longest time until a delivery is stored or refused, in milliseconds. */
  readonly patienceMs: number;
  /** Told of everything that becomes of deliveries. */
  readonly onReport: (report: Report) => void;
  /** Told how long it took until deliveries that were handed over together were settled, in seconds. */
  readonly onHandOver: (seconds: number) => void;
  /** Told that a worker ended by itself. The pool stores nothing more then. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * Hand-overs that a worker may have at a time: one whose records are on their way, one that it works on. Waking a thread
 * costs as much as some messages, so what arrives meanwhile is collected for the next one.
 */
const HAND_OVERS = 2;

/** A worker, and how many deliveries and hand-overs it has not reported on. */
type Member = { readonly worker: Worker; deliveries: number; handOvers: number };

/** Deliveries that went to a worker together; `open`: how many of them are not settled. */
type HandOver = { readonly member: Member; readonly at: number; open: number };

/** A delivery that someone waits for. */
type Waiting = {
  readonly body: Buffer;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** On the clock of `performance.now`. */
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Null until it is handed over. */
  handOver: HandOver | null;
};

/** How often within one patience it is looked who has waited too long. */
const LOOKS = 40;

/** The threads that bring bodies onto the topics. */
export class IntakePool {
  readonly #options: PoolOptions;
  readonly #members = new Set<Member>();
  readonly #unhealthy = new Set<Member>();
  readonly #waiting = new Map<number, Waiting>();
  /** Not handed over yet. */
  #collected: Waiting[] = [];
  readonly #clock: NodeJS.Timeout;
  #scheduled = false;
  #nextId = 0;
  #pendingBytes = 0;
  #closing = false;

  private constructor(options: PoolOptions) {
    this.#options = options;
    this.#clock = setInterval(() => this.#refuseLate(), options.patienceMs / LOOKS);
  }

  /** Starts the workers; rejects where one cannot reach the broker or the registry. */
  static async open(options: PoolOptions): Promise<IntakePool> {
    const pool = new IntakePool(options);
    try {
      await Promise.all(Array.from({ length: options.workers }, () => pool.#start()));
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  /** Bytes of bodies that are not stored yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Whether the broker acknowledged what was last sent to it. */
  get healthy(): boolean {
    return this.#unhealthy.size === 0 && !this.#closing;
  }

  /**
   * Resolves when all of a delivery is on the topics. Rejects with `PublishError` or `IntakeError`; it may be stored all
   * the same then. `waitedMs` of the patience are over already.
   */
  store(body: Buffer, waitedMs: number): Promise<void> {
    if (this.#closing) return Promise.reject(new PublishError('CLOSED', 'the receiver stops'));
    if (this.#members.size === 0) return Promise.reject(new IntakeError('no worker runs'));
    const { maxPendingBytes, patienceMs } = this.#options;
    if (this.#pendingBytes > 0 && this.#pendingBytes + body.length > maxPendingBytes) {
      return Promise.reject(new PublishError('QUEUE_FULL', `more than ${maxPendingBytes} bytes wait`));
    }
    this.#pendingBytes += body.length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const deadline = performance.now() + patienceMs - waitedMs;
    this.#collected.push({ body, receivedAt: Date.now(), deadline, resolve, reject, handOver: null });
    this.#schedule();
    return promise;
  }

  /** Lets the workers finish, and ends them. Call it when nothing is being stored any more. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#clock);
    await Promise.all(
      [...this.#members].map(async ({ worker }) => {
        const ended = once(worker, 'exit');
        worker.postMessage('stop' satisfies ToWorker);
        await ended;
      }),
    );
  }

  /** Hands over at the end of this turn of the event loop, so that what arrives in it goes together. */
  #schedule(): void {
    if (this.#scheduled || this.#collected.length === 0 || this.#freest() === undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const member = this.#freest();
      if (member !== undefined) this.#handOver(member);
    });
  }

  /** The worker with the fewest deliveries, of those that may be given more. */
  #freest(): Member | undefined {
    let best: Member | undefined;
    for (const member of this.#members) {
      if (member.handOvers < HAND_OVERS && member.deliveries < (best?.deliveries ?? Number.POSITIVE_INFINITY))
        best = member;
    }
    return best;
  }

  #handOver(member: Member): void {
    const deliveries = this.#collected;
    this.#collected = [];
    const first = this.#nextId;
    this.#nextId += deliveries.length;
    const handOver: HandOver = { member, at: performance.now(), open: deliveries.length };
    member.deliveries += deliveries.length;
    member.handOvers += 1;
    for (const [index, delivery] of deliveries.entries()) {
      delivery.handOver = handOver;
      this.#waiting.set(first + index, delivery);
    }
    const { bytes, ends } = packBodies(deliveries.map(({ body }) => body));
    const receivedAt = deliveries.map((delivery) => delivery.receivedAt);
    member.worker.postMessage({ first, receivedAt, bytes, ends } satisfies ToWorker, [bytes.buffer]);
  }

  /** Tells those that have waited too long; what they wait for goes its way. */
  #refuseLate(): void {
    const now = performance.now();
    const refuse = ({ deadline, reject }: Waiting): void => {
      if (deadline <= now) reject(new PublishError('TIMEOUT', 'not acknowledged in time'));
    };
    this.#collected.forEach(refuse);
    this.#waiting.forEach(refuse);
  }

  async #start(): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#options.settings,
    });
    const member: Member = { worker, deliveries: 0, handOvers: 0 };
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      const error = new IntakeError('a worker ended by itself', failure);
      reject(failure ?? error);
      this.#ended(member, error);
    });
    worker.on('message', (message: FromWorker) => {
      if (message === 'ready') resolve();
      else this.#settle(member, message);
    });
    await ready;
    this.#members.add(member);
  }

  #settle(member: Member, report: Report): void {
    if (report.healthy) this.#unhealthy.delete(member);
    else this.#unhealthy.add(member);
    for (const id of report.stored) this.#take(id)?.resolve();
    for (const { id, code, message } of report.failed) {
      this.#take(id)?.reject(code === 'FAILED' ? new IntakeError(message) : new PublishError(code, message));
    }
    this.#options.onReport(report);
    this.#schedule();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#pendingBytes -= waiting.body.length;
    const { handOver } = waiting;
    if (handOver === null) return waiting;
    handOver.member.deliveries -= 1;
    handOver.open -= 1;
    if (handOver.open === 0) {
      handOver.member.handOvers -= 1;
      this.#options.onHandOver((performance.now() - handOver.at) / 1000);
    }
    return waiting;
  }

  #ended(member: Member, error: IntakeError): void {
    this.#unhealthy.delete(member);
    const worked = this.#members.delete(member);
    for (const [id, waiting] of this.#waiting)
      if (waiting.handOver?.member === member) this.#take(id)?.reject(error);
    if (worked && !this.#closing) this.#options.onFailure(error);
  }
}
