import { RecentMessages } from '#ingestion/recent-messages.ts';
import type { IngressStatus } from '#records/types.ts';
import type { Logger } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';

const WEBHOOK_SOURCE = 'webhook';
/** Number of forged deliveries that, without an authentic one for `SILENT_MS`, mean that our secret is wrong. */
const MIN_FORGED = 3;
const SILENT_MS = 20_000;

/** The state of the webhook source, for ingress-status. Reads no clock; times are Unix milliseconds. */
export class SourceStatus {
  readonly #instance: string;
  readonly #startedAt: number;
  #heardAt: number | null = null;
  /** Number of forged deliveries since the last authentic one. */
  #forged = 0;
  readonly #recent = new RecentMessages();
  /** How far the newest `ut` of the last delivery was ahead of our clock, milliseconds. */
  #behindMs = 0;
  /** Number of authentic deliveries since the last accepted one that had expired. */
  #expired = 0;

  constructor(instance: string, startedAt: number) {
    this.#instance = instance;
    this.#startedAt = startedAt;
  }

  accepted(now: number): void {
    this.#heardAt = now;
    this.#forged = 0;
    this.#expired = 0;
  }

  forged(): void {
    this.#forged += 1;
  }

  expired(): void {
    this.#expired += 1;
  }

  /** Counts the messages of a stored delivery. `aheadMs`: how far their newest `ut` was ahead; null without a message. */
  stored(counts: { read: number; unreadable: number; aheadMs: number | null }, now: number): void {
    this.#recent.add({ read: counts.read, unreadable: counts.unreadable }, now);
    if (counts.aheadMs !== null) this.#behindMs = counts.aheadMs;
  }

  report(now: number): IngressStatus {
    const silent = now - (this.#heardAt ?? this.#startedAt) >= SILENT_MS;
    const down = silent && this.#forged >= MIN_FORGED;
    return {
      source: WEBHOOK_SOURCE,
      instance: this.#instance,
      state: down ? 'down' : 'up',
      reason: down ? 'credentials' : null,
      // A source that pushes: an accepted delivery may be a repetition.
      heard_at: null,
      progress: null,
      gap: null,
      clock: { behind_ms: this.#behindMs, expired: this.#expired },
      written_at: now,
      ...this.#recent.counts(now),
      refused_lists: [],
    };
  }
}

/** Interval between reports: a third of the time after which the monitor considers the receiver gone. */
const REPORT_MS = 3_000;

type StatusReporterOptions = {
  readonly status: SourceStatus;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly codec: Codec<IngressStatus>;
  /** Name on the broker. */
  readonly topic: string;
  readonly log: Logger;
};

/** Writes the status of the webhook source to ingress-status every three seconds, and with each `report`. */
export function startReports({ status, publisher, codec, topic, log }: StatusReporterOptions) {
  const report = (): void => {
    const current = status.report(Date.now());
    publisher
      .publish([{ topic, key: current.source, value: codec.encode(current) }])
      .catch((error: unknown) => log.debug({ err: error }, 'the status of the source was not written'));
  };
  const timer = setInterval(report, REPORT_MS);
  report();
  return { report, stop: () => clearInterval(timer) };
}
