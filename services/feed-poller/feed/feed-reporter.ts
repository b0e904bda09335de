import type { MachineClock } from '#timing/clock.ts';
import { ProviderError } from '../errors.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import type { FeedReading, PollStatus } from './poll-status.ts';

/** How often it is looked whether the status changed, and how often it is written all the same, milliseconds. */
const LOOK_MS = 1_000;
const REPEAT_MS = 3_000;

/** Dependencies of a reporter. */
export type FeedReporterOptions = {
  readonly status: PollStatus;
  readonly topicWriter: Pick<TopicWriter, 'status'>;
  readonly clock: MachineClock;
};

/** Writes the status of the feed to ingress-status: on each change, and every three seconds. */
export class FeedReporter {
  readonly #options: FeedReporterOptions;
  #written: { readonly text: string; readonly at: number } | null = null;

  constructor(options: FeedReporterOptions) {
    this.#options = options;
  }

  /** Reports until `signal` is aborted. Throws `PublishError`, or what `permit` throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.report();
      await this.#options.clock.sleep(LOOK_MS, signal);
    }
  }

  /** Reads a window after the status before it is written, since it may publish old messages. Throws what `read` throws. */
  async during(read: () => Promise<'again' | 'done'>, reading: () => FeedReading): Promise<'again' | 'done'> {
    const { status, clock } = this.#options;
    await this.report();
    try {
      const outcome = await read();
      status.read(outcome === 'again', reading(), clock.unix());
      return outcome;
    } catch (error) {
      if (error instanceof ProviderError) status.failed(error, clock.unix());
      throw error;
    }
  }

  /** Writes the status where that is due. */
  async report(): Promise<void> {
    const { status, topicWriter, clock } = this.#options;
    const now = clock.unix();
    const report = status.report(now);
    const { state, reason, progress, gap } = report;
    const text = JSON.stringify([state, reason, progress, gap]);
    if (this.#written?.text === text && now - this.#written.at < REPEAT_MS) return;
    this.#written = { text, at: now };
    await topicWriter.status(report);
  }
}
