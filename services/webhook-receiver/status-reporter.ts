import type { Logger } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';
import type { IngressStatus } from '#topics/generated/types.ts';
import type { SourceStatus } from './source-status.ts';

/** How often the status is written: below the time after which the monitor takes the receiver for gone. */
const REPEAT_MS = 2_000;

/** What a reporter works with. */
export type StatusReporterOptions = {
  readonly status: SourceStatus;
  readonly publisher: Pick<Publisher, 'publish' | 'close'>;
  readonly codec: Codec<IngressStatus>;
  /** Name on the broker. */
  readonly topic: string;
  readonly log: Logger;
};

/** Writes the status of the webhook source to ingress-status every two seconds. What is not written in time is left out. */
export class StatusReporter {
  readonly #options: StatusReporterOptions;
  readonly #timer: NodeJS.Timeout;
  #writing = false;

  constructor(options: StatusReporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#write(), REPEAT_MS);
    void this.#write();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#options.publisher.close();
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    const { status, publisher, codec, topic, log } = this.#options;
    this.#writing = true;
    try {
      const report = status.report(Date.now());
      await publisher.publish([{ topic, key: report.source, value: codec.encode(report) }]);
    } catch (error) {
      log.debug({ err: error }, 'the status of the source was not written');
    } finally {
      this.#writing = false;
    }
  }
}
