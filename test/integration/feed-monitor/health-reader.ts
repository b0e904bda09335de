import { type Followed, followRecords } from '#clients/follow-records.ts';
import { type Belief, beliefInMatch } from '#domain/health/belief.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { atEnd } from '../../support/at-end.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelinePlace } from '../../support/pipeline.ts';

/** A record, and when this reader had it, Unix milliseconds. */
export type Seen = { readonly record: FeedHealth; readonly at: number };

/** What a match was to a reader from then on, Unix milliseconds. */
type Change = { readonly at: number; readonly believed: boolean };

const LOOK_MS = 20;

/** A reader of feed-health as its guide says: it follows the topic, and looks at its clock. */
export class HealthReader {
  /** Every record, in order. */
  readonly seen: Seen[] = [];
  readonly #latest = new Map<string, FeedHealth>();
  readonly #changes = new Map<number, Change[]>();
  #followed: Followed | null = null;

  static async open({ brokers, prefix, registryUrl }: PipelinePlace): Promise<HealthReader> {
    const reader = new HealthReader();
    reader.#followed = await followRecords({
      ...{ brokers, prefix, topic: 'feed-health', log: quietLog },
      registry: Registry.open({ url: registryUrl, prefix }),
      onRecord: (key, record) => reader.#take(key, record),
      onFailure: (error) => {
        throw error;
      },
    });
    const looking = setInterval(() => reader.#look(), LOOK_MS);
    atEnd(async () => {
      clearInterval(looking);
      await reader.#followed?.close();
    });
    return reader;
  }

  latest(source: string, eventId?: number): FeedHealth | undefined {
    return this.#latest.get(eventId === undefined ? source : `${source}/${eventId}`);
  }

  /** Whether a match may be believed now. */
  belief(eventId: number, now = Date.now()): Belief {
    const pairs = [...this.#latest.values()].flatMap((match) => {
      const source = this.#latest.get(match.source);
      return match.event_id === eventId && source !== undefined ? [{ source, match }] : [];
    });
    return beliefInMatch(pairs, now);
  }

  /** Since when a match is not believed, without a break until now; null where it is. */
  notBelievedSince(eventId: number): number | null {
    const last = this.#changes.get(eventId)?.at(-1);
    return last === undefined || last.believed ? null : last.at;
  }

  #take(key: string, record: FeedHealth | null): void {
    if (record === null) {
      this.#latest.delete(key);
      return;
    }
    this.#latest.set(key, record);
    this.seen.push({ record, at: Date.now() });
    this.#look();
  }

  #look(): void {
    const at = Date.now();
    for (const { event_id } of this.#latest.values()) {
      if (event_id === null) continue;
      const { believed } = this.belief(event_id, at);
      const changes = this.#changes.get(event_id) ?? [];
      if (changes.at(-1)?.believed !== believed) changes.push({ at, believed });
      this.#changes.set(event_id, changes);
    }
  }
}
