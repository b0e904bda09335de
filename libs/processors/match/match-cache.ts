import type { ConsumedRecord } from '#streams/client/port.ts';
import { hasValue, SpilledRecords } from '../spilled-records.ts';
import {
  type FlagCounts,
  type LoadedMatch,
  load,
  type MatchCodecs,
  newLoaded,
  spilled,
  weightOf,
} from './loaded-match.ts';

const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** Share of the limit to which too many matches are reduced: each search for the least recently used is a pass over all. */
const KEPT_SHARE = 0.75;
/** Share of the limit at which a transaction is full. */
const FULL_SHARE = 1.5;

/** The matches of one partition: loaded in memory, or spilled as the records that restore them. */
export class MatchCache {
  readonly #codecs: MatchCodecs;
  readonly #maxLoaded: number;
  readonly #maxLoadedBytes: number;
  /** Least recently used first. */
  readonly #loaded = new Map<number, LoadedMatch>();
  readonly #spilled = new SpilledRecords<number>();
  #loadedBytes = 0;

  /** `maxLoaded`, `maxLoadedBytes`: maximum number, and estimated bytes, of matches in memory; the most recently used stay. */
  constructor(codecs: MatchCodecs, maxLoaded: number, maxLoadedBytes = MAX_LOADED_BYTES) {
    this.#codecs = codecs;
    this.#maxLoaded = maxLoaded;
    this.#maxLoadedBytes = maxLoadedBytes;
  }

  get loadedSize(): number {
    return this.#loaded.size;
  }

  get size(): number {
    return this.#loaded.size + this.#spilled.size;
  }

  get flagged(): FlagCounts {
    const counts: FlagCounts = { score_differs: 0, orphan: 0, anomaly: 0 };
    for (const { flags } of this.#loaded.values()) for (const flag of flags) counts[flag] += 1;
    return counts;
  }

  /** Spills restored records of states and incidents: a match is decoded with its next message. */
  restore(records: readonly ConsumedRecord[]): void {
    for (const record of records.filter(hasValue)) {
      // The event id is at the start of the key.
      this.#spilled.restore(Number.parseInt(record.key.toString('latin1'), 10), record);
    }
  }

  /** Returns the match from memory, from disk, or a new one, and notes its use by a message. */
  find(eventId: number): LoadedMatch {
    const found = this.#loaded.get(eventId);
    if (found !== undefined) {
      this.#loaded.delete(eventId);
      this.#loaded.set(eventId, found);
      return found;
    }
    const records = this.#spilled.take(eventId);
    const loaded = records === null ? newLoaded(this.#codecs, eventId) : load(this.#codecs, eventId, records);
    this.#loaded.set(eventId, loaded);
    this.#loadedBytes += weightOf(loaded);
    return loaded;
  }

  /** Calls `change`, which may change a match's size. */
  resize(loaded: LoadedMatch, change: () => void): void {
    this.#loadedBytes -= weightOf(loaded);
    change();
    this.#loadedBytes += weightOf(loaded);
  }

  /** Whether a transaction has enough changes: changed matches cannot be spilled before the commit. */
  isFull(): boolean {
    return this.#exceeds(FULL_SHARE);
  }

  /** Spills what exceeds the limits, least recently used first. Called after a commit: no match has unpublished changes then. */
  evict(): void {
    if (!this.#exceeds(1)) return;
    for (const [eventId, loaded] of this.#loaded) {
      if (!this.#exceeds(KEPT_SHARE)) return;
      this.#loaded.delete(eventId);
      this.#loadedBytes -= weightOf(loaded);
      for (const record of spilled(this.#codecs, loaded)) this.#spilled.put(eventId, record);
    }
  }

  close(): void {
    this.#spilled.close();
    this.#loaded.clear();
  }

  /** Whether the matches in memory exceed a share of their limits. */
  #exceeds(share: number): boolean {
    return this.#loaded.size > this.#maxLoaded * share || this.#loadedBytes > this.#maxLoadedBytes * share;
  }
}
