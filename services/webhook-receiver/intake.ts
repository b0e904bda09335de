import { type Delivery, readDelivery } from '#contract/delivery.ts';
import type { Logger } from '#service/logger.ts';
import { PublishError } from '#streams/publish-error.ts';
import type { Publisher } from '#streams/publisher.ts';
import { SERVICE } from './name.ts';
import type { DeliveryEncoder } from './records.ts';
import { type Deliveries, type Report, unpackBodies } from './threads.ts';

/** What an intake works with. */
export type IntakeOptions = {
  readonly publisher: Publisher;
  readonly encode: DeliveryEncoder;
  readonly log: Logger;
  /** Told of what became of deliveries, of many at once under load. */
  readonly report: (report: Report) => void;
};

type Draft = {
  stored: number[];
  failed: Report['failed'][number][];
  messages: Record<string, number>;
  deadLetters: Record<string, number>;
};

const emptyDraft = (): Draft => ({ stored: [], failed: [], messages: {}, deadLetters: {} });

/**
 * The way of a body onto the topics: read, encoded, published, reported. Where the broker has not acknowledged all of
 * it, it is reported as failed; the sender repeats it, and what was written is written again to no effect.
 */
export class Intake {
  readonly #options: IntakeOptions;
  #draft = emptyDraft();
  #reporting = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Takes deliveries in. Throws nothing: what fails is in the report. */
  take(deliveries: Deliveries): void {
    for (const [index, body] of unpackBodies(deliveries).entries()) {
      const id = deliveries.first + index;
      this.#store(body, deliveries.receivedAt[index] ?? 0).then(
        (delivery) => this.#stored(id, delivery),
        (error: unknown) => this.#failed(id, error),
      );
    }
  }

  async #store(body: Buffer, receivedAt: number): Promise<Delivery> {
    const delivery = readDelivery(body, { origin: 'webhook', service: SERVICE, receivedAt });
    await this.#options.publisher.publish(this.#options.encode(delivery));
    return delivery;
  }

  #stored(id: number, { normalized, deadLetters, ignored }: Delivery): void {
    const { log } = this.#options;
    const draft = this.#draftToReport();
    draft.stored.push(id);
    for (const { type } of normalized) add(draft.messages, type, 1);
    for (const [type, times] of ignored) {
      add(draft.messages, 'unknown', times);
      log.debug({ type: type.slice(0, 100), times }, 'messages of a type that nothing here uses');
    }
    for (const { id: letterId, code, reason } of deadLetters) {
      add(draft.deadLetters, code, 1);
      log.warn({ id: letterId, code, reason }, 'given up, see dead-letters');
    }
  }

  #failed(id: number, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof PublishError) this.#draftToReport().failed.push({ id, code: error.code, message });
    else {
      this.#options.log.error({ err: error }, 'a delivery failed');
      this.#draftToReport().failed.push({ id, code: 'FAILED', message });
    }
  }

  /** What settles in the same turn of the event loop, as all of one produce request does, goes into one report. */
  #draftToReport(): Draft {
    if (!this.#reporting) {
      this.#reporting = true;
      setImmediate(() => {
        const draft = this.#draft;
        this.#draft = emptyDraft();
        this.#reporting = false;
        this.#options.report({ ...draft, healthy: this.#options.publisher.healthy });
      });
    }
    return this.#draft;
  }
}

function add(counts: Record<string, number>, name: string, times: number): void {
  counts[name] = (counts[name] ?? 0) + times;
}
