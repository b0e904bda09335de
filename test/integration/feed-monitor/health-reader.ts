import type { FeedHealth } from '#records/types.ts';
import { follow } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { type FeedStatus, HealthTable } from '#trading/feed-status.ts';
import { atEnd } from '../../support/at-end.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** A record, with the timestamp of the topic and the time when this reader received it; Unix milliseconds. */
type ReceivedHealth = { readonly record: FeedHealth; readonly timestamp: number; readonly at: number };

/** The feed status of a match from `at` on, Unix milliseconds. */
type StatusChange = { readonly at: number; readonly believed: boolean; readonly state: FeedStatus['state'] };

/** Interval between evaluations. */
const EVALUATE_MS = 20;

/** A reader of feed-health that does what the guide says: it follows the topic and evaluates it with its clock. */
export class HealthReader {
  /** Every record, in order. */
  readonly seen: ReceivedHealth[] = [];
  readonly #latest = new Map<string, FeedHealth>();
  readonly #table = new HealthTable();
  readonly #changes = new Map<number, StatusChange[]>();

  static async open({ brokers, prefix, registryUrl }: PipelineConnection): Promise<HealthReader> {
    const reader = new HealthReader();
    const registry = new Registry({ url: registryUrl, prefix });
    const stopping = new AbortController();
    const followed = follow(
      ['feed-health'],
      { brokers, prefix, registry },
      {
        signal: stopping.signal,
        onRecord: ({ key, value, timestamp }) => reader.#apply(key, value, timestamp),
      },
    );
    const timer = setInterval(() => reader.#evaluate(), EVALUATE_MS);
    atEnd(async () => {
      clearInterval(timer);
      stopping.abort();
      await followed;
    });
    return reader;
  }

  /** Returns the last record of a source, or of a match of it. */
  latest(source: string, eventId?: number): FeedHealth | undefined {
    return this.#latest.get(eventId === undefined ? source : `${source}/${eventId}`);
  }

  /** Returns the current feed status of a match. */
  belief(eventId: number, now = Date.now()): FeedStatus {
    return this.#table.match(eventId, { wall: now, steady: performance.now() });
  }

  /** Returns how often a match stopped being believed because feed-health was silent, outside of these times. */
  expiredOutside(times: readonly { readonly from: number; readonly to: number }[]): number {
    return [...this.#changes.values()]
      .flat()
      .filter(({ state, at }) => state === 'expired' && !times.some(({ from, to }) => at >= from && at <= to))
      .length;
  }

  #apply(key: string, record: FeedHealth | null, timestamp: number): void {
    this.#table.apply(key, record, performance.now());
    if (record === null) {
      this.#latest.delete(key);
      return;
    }
    this.#latest.set(key, record);
    this.seen.push({ record, timestamp, at: Date.now() });
    this.#evaluate();
  }

  #evaluate(): void {
    const at = Date.now();
    for (const { event_id } of this.#latest.values()) {
      if (event_id === null) continue;
      const { believed, state } = this.belief(event_id, at);
      const changes = this.#changes.get(event_id) ?? [];
      if (changes.at(-1)?.believed !== believed) changes.push({ at, believed, state });
      this.#changes.set(event_id, changes);
    }
  }
}
