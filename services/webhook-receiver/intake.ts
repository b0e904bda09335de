import { type ReadDelivery, readDelivery } from '#ingestion/delivery.ts';
import { logDelivery } from '#ingestion/delivery-log.ts';
import type { DeliveryEncoder } from '#ingestion/records.ts';
import type { Logger } from '#service/logger.ts';
import { PublishError } from '#streams/errors.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { publishTraced, tracer } from '#tracing/tracing.ts';
import { SERVICE } from './config.ts';
import type { RequestTally } from './tally.ts';

/** Settings of an intake. */
export type IntakeOptions = {
  readonly publisher: Publisher;
  readonly encode: DeliveryEncoder;
  /** Longest time until a delivery is stored or refused, milliseconds. */
  readonly answerTimeoutMs: number;
  readonly tally: RequestTally;
  readonly log: Logger;
};

/** A delivery whose sender waits for an answer. `deadline`: on the clock of `performance.now`. */
type Waiting = { readonly deadline: number; readonly reject: (error: PublishError) => void };

/** How often within that time it is looked who has waited too long. */
const LOOKS = 40;

/** Stores bodies: reads, encodes, publishes, counts. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #waiting = new Set<Waiting>();
  readonly #clock: NodeJS.Timeout;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#clock = setInterval(() => this.#refuseLate(), options.answerTimeoutMs / LOOKS);
  }

  /**
   * Resolves when all records of a delivery are on the topics. Rejects with `PublishError` at its deadline, `waitedMs` of
   * which have passed; `from`: the sender's trace. It may be stored all the same then; the sender repeats it, which has no effect.
   */
  store(body: Buffer, waitedMs: number, from?: string): Promise<void> {
    const { publisher, encode, answerTimeoutMs } = this.#options;
    const readAt = performance.now();
    const delivery = readDelivery(body, { origin: 'webhook', service: SERVICE, receivedAt: Date.now() });
    const span = startSpan(delivery, waitedMs, from);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { deadline: readAt + answerTimeoutMs - waitedMs, reject };
    this.#waiting.add(waiting);
    const records = encode(delivery);
    const published =
      span === null
        ? publisher.publish(records)
        : publishTraced((traced) => publisher.publish(traced), records, span);
    published.then(
      () => {
        span?.end();
        this.#waiting.delete(waiting);
        this.#count(delivery, performance.now() - readAt);
        resolve();
      },
      (error: unknown) => {
        span?.end(String(error));
        this.#waiting.delete(waiting);
        reject(error);
      },
    );
    return promise;
  }

  /** Call it when nothing is being stored any more. */
  close(): void {
    clearInterval(this.#clock);
  }

  #count(delivery: ReadDelivery, storedMs: number): void {
    const { tally, log } = this.#options;
    const { normalized, deadLetters, ignored } = delivery;
    tally.stored(storedMs / 1000);
    for (const { type, ut, received_at } of normalized) {
      tally.count('messages', type);
      tally.received(received_at - ut * 1_000);
    }
    for (const times of ignored.values()) tally.count('messages', 'unknown', times);
    for (const { code } of deadLetters) tally.count('deadLetters', code);
    logDelivery(log, delivery);
  }

  /** Rejects deliveries beyond their deadline; their publishing continues. */
  #refuseLate(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.deadline > now) continue;
      this.#waiting.delete(waiting);
      waiting.reject(new PublishError('TIMEOUT', 'not acknowledged in time'));
    }
  }
}

/** Most messages of a delivery that its span names. */
const NAMED = 16;

/** The span of a delivery: it begins a trace. The sender's is linked, as nobody outside decides what is recorded here. */
function startSpan(
  { raw, normalized }: ReadDelivery,
  waitedMs: number,
  from: string | undefined,
): TraceSpan | null {
  const tracing = tracer();
  if (tracing === null) return null;
  return tracing.start('POST /webhook', {
    kind: 'server',
    startedAt: Date.now() - waitedMs,
    links: from === undefined ? [] : [from],
    attributes: {
      delivery_id: raw?.delivery_id,
      'messaging.batch.message_count': normalized.length,
      message_id: normalized.slice(0, NAMED).map(({ message_id }) => message_id),
    },
  });
}
