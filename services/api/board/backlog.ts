import { behindOf, inputProgress } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#streams/log.ts';
import { BACKLOG_OF } from '#topics/acls.ts';
import { type ProcessorName, streamTopics } from '#topics/processors.ts';

/** Number of unprocessed records of a processor; null: unknown. */
export type ProcessorBacklog = { readonly processor: ProcessorName; readonly records: number | null };

/** Minimum interval between two counts, milliseconds: each count opens connections, and pages ask every two seconds. */
const COUNT_INTERVAL_MS = 4_000;
/** Age beyond which a count is not shown, milliseconds: the broker does not answer. */
const MAX_AGE_MS = 15_000;

type BacklogOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly log: Logger;
};

/** Counts the unprocessed records of the processors whose results the board shows; only on demand. */
export class BrokerBacklog {
  readonly #options: BacklogOptions;
  #counted: { readonly at: number; readonly waiting: readonly ProcessorBacklog[] } | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #counting = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Returns the last count, and starts a new one when it is older than `COUNT_INTERVAL_MS`. Null: no recent count. */
  waiting(): readonly ProcessorBacklog[] | null {
    const now = performance.now();
    if (!this.#counting && now - this.#startedAt >= COUNT_INTERVAL_MS) {
      this.#startedAt = now;
      void this.#count();
    }
    return this.#counted !== undefined && now - this.#counted.at < MAX_AGE_MS ? this.#counted.waiting : null;
  }

  async #count(): Promise<void> {
    this.#counting = true;
    const at = performance.now();
    const waiting = await Promise.all(BACKLOG_OF.map((processor) => this.#countOf(processor)));
    this.#counted = { at, waiting };
    this.#counting = false;
  }

  async #countOf(processor: ProcessorName): Promise<ProcessorBacklog> {
    const { brokers, prefix, log } = this.#options;
    const { application, input } = streamTopics(prefix, processor);
    try {
      const records = behindOf(await inputProgress({ brokers, application, input, log }));
      return { processor, records };
    } catch (err) {
      log.debug({ err, processor }, 'the backlog of a processor cannot be counted');
      return { processor, records: null };
    }
  }
}
