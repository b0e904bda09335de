import { hasValue, type KeyedValue } from '#spill/entry.ts';
import { SpillStore } from '#spill/spill-store.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import {
  type LoadedMatch,
  load,
  type MatchCodecs,
  newLoaded,
  ReceivedClock,
  spilled,
  weightOf,
} from './loaded-match.ts';
import { type FlagCounts, noFlags } from './match-flags.ts';

/** Which matches of a partition stay in memory. */
export type MatchCacheOptions = {
  readonly codecs: MatchCodecs;
  /** A match is spilled when no message of it was received for this long, milliseconds (see `ReceivedClock`). */
  readonly keepLoadedMs: number;
  /** Most matches in memory; the most recently used stay. */
  readonly maxLoaded: number;
  /** Most bytes of matches in memory, estimated. Default 64 MiB. */
  readonly maxLoadedBytes?: number;
};

/**
 * Most matches in memory that are not in play: most of them receive nothing for hours, and objects dropped after a
 * commit or two are cheap to collect.
 */
const MAX_RESTING = 64;
const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** The share of matches that stay when there are too many: finding the most recently used costs a pass. */
const KEPT_SHARE = 0.75;
/** How far a transaction may exceed the limit. */
const FULL_SHARE = 1.5;

/** Looking for matches to spill costs a pass over all in memory. */
const SWEEP_MS = 60_000;

const SLASH = 47;
const ZERO = 48;

/** Whether a match changed since the last flush. */
type IsChanged = (eventId: number) => boolean;

/** The matches of one partition: in memory, ready for the next message, or spilled as the records that restore them. */
export class MatchCache {
  readonly #options: MatchCacheOptions;
  readonly #maxLoadedBytes: number;
  /** Least recently used first. */
  readonly #loaded = new Map<number, LoadedMatch>();
  /** Spilled records by event, without the matches in memory. */
  readonly #spilled = new SpillStore();
  readonly #clock = new ReceivedClock();
  #loadedBytes = 0;
  /** Matches in memory that are not in play. */
  #resting = 0;
  #flagged = noFlags();
  #sweptAt = 0;

  constructor(options: MatchCacheOptions) {
    this.#options = options;
    this.#maxLoadedBytes = options.maxLoadedBytes ?? MAX_LOADED_BYTES;
  }

  /** Matches in memory. */
  get loadedSize(): number {
    return this.#loaded.size;
  }

  /** All matches. */
  get size(): number {
    return this.#loaded.size + this.#spilled.size;
  }

  /** Matches in memory, by what is wrong with them. */
  get flagged(): FlagCounts {
    return this.#flagged;
  }

  /** Spills restored states. A batch has one for every transaction: copies only the last of each event. */
  restoreStates(records: readonly ConsumedRecord[]): void {
    const seen = new Set<number>();
    for (let at = records.length - 1; at >= 0; at--) {
      const record = records[at] as ConsumedRecord;
      if (!hasValue(record)) continue;
      const eventId = eventIdOf(record.key);
      if (seen.has(eventId)) continue;
      seen.add(eventId);
      this.#spilled.put(eventId, [record]);
    }
  }

  /** Spills restored incidents. Those of one event are adjacent in a transaction, and stay together. */
  restoreIncidents(records: readonly ConsumedRecord[]): void {
    const values: readonly KeyedValue[] = records.every(hasValue) ? records : records.filter(hasValue);
    for (let from = 0, to = 0; from < values.length; from = to) {
      const eventId = eventIdOf((values[from] as KeyedValue).key);
      do to += 1;
      while (to < values.length && eventIdOf((values[to] as KeyedValue).key) === eventId);
      this.#spilled.put(eventId, values, from, to);
    }
  }

  /** To wait for before more is spilled, as `SpillStore.room`. */
  room(): Promise<void> | undefined {
    return this.#spilled.room();
  }

  /** The match from memory, loaded from disk, or new. */
  find(eventId: number): LoadedMatch {
    const found = this.#loaded.get(eventId);
    if (found !== undefined) return found;
    const records = this.#spilled.take(eventId);
    const { codecs } = this.#options;
    return this.#hold(
      eventId,
      records === null ? newLoaded(codecs, eventId) : load(codecs, eventId, records),
    );
  }

  /** Notes the use of a match, by a message received at `receivedAt`, Unix milliseconds. */
  use(loaded: LoadedMatch, receivedAt: number): void {
    this.#clock.follow(receivedAt);
    loaded.usedAt = this.#clock.elapsedMs;
    const { eventId } = loaded.match;
    this.#loaded.delete(eventId);
    this.#loaded.set(eventId, loaded);
  }

  /** Runs a change of a match that changes its size, its flags, or whether it is in play. */
  resize(loaded: LoadedMatch, change: () => void): void {
    this.#subtract(loaded);
    change();
    this.#add(loaded);
  }

  /** Whether a transaction has enough changes: changed matches cannot be spilled before the commit. */
  isFull(): boolean {
    return (
      this.#loaded.size > this.#options.maxLoaded * FULL_SHARE ||
      this.#resting > MAX_RESTING * FULL_SHARE ||
      this.#loadedBytes > this.#maxLoadedBytes * FULL_SHARE
    );
  }

  /** Spills what exceeds the limits, without the matches that changed since the last flush. */
  evict(isChanged: IsChanged): void {
    const { keepLoadedMs, maxLoaded } = this.#options;
    if (this.#resting > MAX_RESTING) this.#spillResting(isChanged);
    if (this.#loaded.size > maxLoaded || this.#loadedBytes > this.#maxLoadedBytes)
      this.#spillLeastUsed(isChanged);
    const now = this.#clock.elapsedMs;
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [eventId, loaded] of this.#loaded) {
      if (loaded.usedAt + keepLoadedMs <= now && !isChanged(eventId)) this.#spill(eventId, loaded);
    }
  }

  close(): void {
    this.#spilled.close();
    this.#loaded.clear();
    this.#flagged = noFlags();
  }

  #hold(eventId: number, loaded: LoadedMatch): LoadedMatch {
    this.#loaded.set(eventId, loaded);
    this.#add(loaded);
    return loaded;
  }

  #spill(eventId: number, loaded: LoadedMatch): void {
    this.#loaded.delete(eventId);
    this.#subtract(loaded);
    const records = spilled(this.#options.codecs, loaded);
    if (records.length > 0) this.#spilled.put(eventId, records);
  }

  #add(loaded: LoadedMatch): void {
    this.#loadedBytes += weightOf(loaded);
    if (!loaded.live) this.#resting += 1;
    for (const flag of loaded.flags) this.#flagged[flag] += 1;
  }

  #subtract(loaded: LoadedMatch): void {
    this.#loadedBytes -= weightOf(loaded);
    if (!loaded.live) this.#resting -= 1;
    for (const flag of loaded.flags) this.#flagged[flag] -= 1;
  }

  #spillLeastUsed(isChanged: IsChanged): void {
    const matches = this.#options.maxLoaded * KEPT_SHARE;
    const bytes = this.#maxLoadedBytes * KEPT_SHARE;
    for (const [eventId, loaded] of this.#leastUsed(isChanged)) {
      if (this.#loaded.size <= matches && this.#loadedBytes <= bytes) return;
      this.#spill(eventId, loaded);
    }
  }

  #spillResting(isChanged: IsChanged): void {
    for (const [eventId, loaded] of this.#leastUsed(isChanged)) {
      if (this.#resting <= MAX_RESTING * KEPT_SHARE) return;
      if (!loaded.live) this.#spill(eventId, loaded);
    }
  }

  /** Matches in memory without changes to publish, least recently used first. */
  #leastUsed(isChanged: IsChanged): [eventId: number, loaded: LoadedMatch][] {
    return [...this.#loaded].filter(([eventId]) => !isChanged(eventId));
  }
}

/** The event id at the start of a key, read without making a string. */
function eventIdOf(key: Buffer): number {
  let id = 0;
  for (let at = 0; at < key.length; at++) {
    const byte = key[at] as number;
    if (byte === SLASH) break;
    id = id * 10 + byte - ZERO;
  }
  return id;
}
