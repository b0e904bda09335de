import { behindOf, inputProgress } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#streams/log.ts';
import { BACKLOG_OF } from '#topics/acls.ts';
import { type ProcessorName, streamTopics } from '#topics/processors.ts';

/** How many records wait for a processor; null where that is not known. */
export type Waiting = { readonly processor: ProcessorName; readonly records: number | null };

/** A page asks every two seconds; a count opens connections of its own. */
const COUNT_EVERY_MS = 4_000;
/** An older count is not shown: the broker does not answer. */
const STALE_MS = 15_000;

type BacklogOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly log: Logger;
};

/** Counts the records that wait for the processors whose results the board shows, only while somebody asks. */
export class BrokerBacklog {
  readonly #options: BacklogOptions;
  #counted: { readonly at: number; readonly waiting: readonly Waiting[] } | undefined;
  #begun = Number.NEGATIVE_INFINITY;
  #counting = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** The last count, or null before the first; it is made again where it is older than `COUNT_EVERY_MS`. */
  waiting(): readonly Waiting[] | null {
    const now = performance.now();
    if (!this.#counting && now - this.#begun >= COUNT_EVERY_MS) {
      this.#begun = now;
      void this.#count();
    }
    return this.#counted !== undefined && now - this.#counted.at < STALE_MS ? this.#counted.waiting : null;
  }

  async #count(): Promise<void> {
    this.#counting = true;
    const at = performance.now();
    const waiting = await Promise.all(BACKLOG_OF.map((processor) => this.#of(processor)));
    this.#counted = { at, waiting };
    this.#counting = false;
  }

  async #of(processor: ProcessorName): Promise<Waiting> {
    const { brokers, prefix, log } = this.#options;
    const { application, input } = streamTopics(prefix, processor);
    try {
      const records = behindOf(await inputProgress({ brokers, application, input, log }));
      return { processor, records };
    } catch (err) {
      log.debug({ err, processor }, 'its backlog is not known');
      return { processor, records: null };
    }
  }
}
