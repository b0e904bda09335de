import { follow } from '#streams/read/follow.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type FeedStatus, HealthTable } from '#tradability/feed-status.ts';
import { atEnd } from '../../support/at-end.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** A record, when its topic got it, by the topic's timestamps, and when this reader had it; Unix milliseconds. */
type Seen = { readonly record: FeedHealth; readonly timestamp: number; readonly at: number };

/** What a match was to a reader from then on, Unix milliseconds. */
type Change = { readonly at: number; readonly believed: boolean; readonly state: FeedStatus['state'] };

const LOOK_MS = 20;

/** A reader of feed-health as its guide says: it follows the topic, and looks at its clock. */
export class HealthReader {
  /** Every record, in order. */
  readonly seen: Seen[] = [];
  readonly #latest = new Map<string, FeedHealth>();
  readonly #table = new HealthTable();
  readonly #changes = new Map<number, Change[]>();
  static async open({ brokers, prefix, registryUrl }: PipelineConnection): Promise<HealthReader> {
    const reader = new HealthReader();
    const decoder = Registry.open({ url: registryUrl, prefix }).decoder('feed-health');
    const stopping = new AbortController();
    const followed = follow({
      brokers,
      topics: [topicName(prefix, 'feed-health')],
      signal: stopping.signal,
      async onBatch({ records }) {
        for (const { key, value, timestamp } of records)
          reader.#take(String(key), value === null ? null : await decoder.read(value), timestamp);
      },
    });
    const looking = setInterval(() => reader.#look(), LOOK_MS);
    atEnd(async () => {
      clearInterval(looking);
      stopping.abort();
      await followed;
    });
    return reader;
  }

  latest(source: string, eventId?: number): FeedHealth | undefined {
    return this.#latest.get(eventId === undefined ? source : `${source}/${eventId}`);
  }

  /** The feed status of a match now. */
  belief(eventId: number, now = Date.now()): FeedStatus {
    return this.#table.match(eventId, { wall: now, steady: performance.now() });
  }

  /** Since when a match is not believed, without a break until now; null where it is. */
  notBelievedSince(eventId: number): number | null {
    const last = this.#changes.get(eventId)?.at(-1);
    return last === undefined || last.believed ? null : last.at;
  }

  /** How often a match was no longer believed because feed-health was silent, outside of these times. */
  expiredOutside(times: readonly { readonly from: number; readonly to: number }[]): number {
    return [...this.#changes.values()]
      .flat()
      .filter(({ state, at }) => state === 'expired' && !times.some(({ from, to }) => at >= from && at <= to))
      .length;
  }

  #take(key: string, record: FeedHealth | null, timestamp: number): void {
    this.#table.apply(key, record, performance.now());
    if (record === null) {
      this.#latest.delete(key);
      return;
    }
    this.#latest.set(key, record);
    this.seen.push({ record, timestamp, at: Date.now() });
    this.#look();
  }

  #look(): void {
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
