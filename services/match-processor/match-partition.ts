import { applyMessage, matchIncident, matchResult, matchState, stampOf } from '#domain/match.ts';
import { resultChanges, resultKey, seasonKey } from '#domain/match-result.ts';
import { type KeyedValue, SpillStore } from '#spill/spill-store.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import { decodeInput, type PartitionProcessor, type RecordCollector } from '#streams/runtime/processor.ts';
import type { Cause, NormalizedMessage } from '#topics/generated/types.ts';
import { TOPICS, type TopicName } from '#topics/topics.ts';
import {
  checkSize,
  checkSizes,
  incidentKey,
  isLive,
  type LoadedMatch,
  load,
  mayOutgrow,
  newLoaded,
  ReceivedClock,
  setIncident,
  spilled,
  weightOf,
} from './loaded-match.ts';
import type { MatchCodecs } from './match-codecs.ts';

export type MatchPartitionOptions = {
  readonly partition: number;
  readonly codecs: MatchCodecs;
  /** Name of a topic on the broker. */
  readonly topicName: (topic: TopicName) => string;
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

const RESULT_PARTITIONS = TOPICS['match-results'].partitions;

/** Looking for matches to spill costs a pass over all in memory. */
const SWEEP_MS = 60_000;

const SLASH = 47;
const ZERO = 48;

/** All matches of one partition: applies messages, keeps their state, publishes changes. */
export class MatchPartition implements PartitionProcessor {
  readonly #options: MatchPartitionOptions;
  readonly #maxLoadedBytes: number;
  readonly #names: Readonly<Record<keyof MatchCodecs, string>>;
  readonly #loaded = new Map<number, LoadedMatch>();
  /** Spilled records by event, without the matches in memory. */
  readonly #spilled = new SpillStore();
  /** Matches that changed since the last flush. */
  readonly #changed = new Map<number, LoadedMatch>();
  readonly #clock = new ReceivedClock();
  #loadedBytes = 0;
  /** Matches in memory that are not in play. */
  #resting = 0;
  #turn = 0;
  #sweptAt = 0;

  constructor(options: MatchPartitionOptions) {
    this.#options = options;
    this.#maxLoadedBytes = options.maxLoadedBytes ?? MAX_LOADED_BYTES;
    const { topicName } = options;
    this.#names = {
      'normalized-messages': topicName('normalized-messages'),
      'match-incidents': topicName('match-incidents'),
      'match-state': topicName('match-state'),
      'match-transitions': topicName('match-transitions'),
      'match-results': topicName('match-results'),
    };
  }

  /** Spills restored records: a match is decoded when its next message comes. */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void> {
    if (topic === this.#names['match-state']) this.#restoreStates(records);
    else this.#restoreIncidents(records);
    return this.#spilled.room();
  }

  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void> {
    const message = decodeInput(this.#options.codecs['normalized-messages'], record.value);
    if (message instanceof Promise) return message.then((decoded) => this.#apply(record, decoded, collector));
    return this.#apply(record, message, collector);
  }

  /** Whether a transaction has enough changes: changed matches cannot be spilled before the commit. */
  isFull(): boolean {
    return (
      this.#loaded.size > this.#options.maxLoaded * FULL_SHARE ||
      this.#resting > MAX_RESTING * FULL_SHARE ||
      this.#loadedBytes > this.#maxLoadedBytes * FULL_SHARE
    );
  }

  /** Throws `PoisonError` for a record over the limit that `process` could not foresee. */
  flush(collector: RecordCollector): void {
    const { codecs } = this.#options;
    for (const [eventId, loaded] of this.#changed) {
      this.#loadedBytes -= weightOf(loaded);
      for (const id of loaded.touched) {
        const key = incidentKey(eventId, id);
        const value = codecs['match-incidents'].encode(matchIncident(loaded.match, id));
        this.#add(collector, 'match-incidents', key, value);
        setIncident(loaded, key, value);
      }
      loaded.touched = new Set();
      const state = matchState(loaded.match);
      const value = codecs['match-state'].encode(state);
      this.#add(collector, 'match-state', String(eventId), value);
      loaded.stateBytes = value.length;
      if (loaded.live !== isLive(state)) this.#resting += loaded.live ? 1 : -1;
      loaded.live = isLive(state);
      loaded.pendingBytes = 0;
      this.#loadedBytes += weightOf(loaded);
      if (loaded.stale) this.#publishResult(loaded, collector);
    }
    this.#changed.clear();
  }

  committed(): void {
    const { keepLoadedMs, maxLoaded } = this.#options;
    if (this.#resting > MAX_RESTING) this.#spillResting();
    if (this.#loaded.size > maxLoaded || this.#loadedBytes > this.#maxLoadedBytes) this.#spillLeastUsed();
    const now = this.#clock.elapsedMs;
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [eventId, loaded] of this.#loaded) {
      if (loaded.usedAt + keepLoadedMs <= now && !this.#changed.has(eventId)) this.#spill(eventId, loaded);
    }
  }

  /** Matches in memory, ready for the next message. */
  loadedSize(): number {
    return this.#loaded.size;
  }

  size(): number {
    return this.#loaded.size + this.#spilled.size;
  }

  close(): void {
    this.#spilled.close();
    this.#loaded.clear();
    this.#changed.clear();
  }

  /** A batch has a state for every transaction: copies only the last of each event. */
  #restoreStates(records: readonly ConsumedRecord[]): void {
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

  /** Incidents of one event are adjacent in a transaction, and are spilled together. */
  #restoreIncidents(records: readonly ConsumedRecord[]): void {
    const values: readonly KeyedValue[] = records.every(hasValue) ? records : records.filter(hasValue);
    for (let from = 0, to = 0; from < values.length; from = to) {
      const eventId = eventIdOf((values[from] as KeyedValue).key);
      do to += 1;
      while (to < values.length && eventIdOf((values[to] as KeyedValue).key) === eventId);
      this.#spilled.put(eventId, values, from, to);
    }
  }

  /**
   * The last published result derives from the restored state, so it needs no record of its own. But readers may have
   * seen a result of the previous owner's aborted transaction (docs/decisions/0045), so a restored match publishes its
   * result again.
   */
  #publishResult(loaded: LoadedMatch, collector: RecordCollector): void {
    const { match, published, restored } = loaded;
    const result = matchResult(match);
    const codec = this.#options.codecs['match-results'];
    for (const change of resultChanges(published, result, stampOf(match), restored)) {
      const partition = partitionHash(Buffer.from(seasonKey(change))) % RESULT_PARTITIONS;
      const value = codec.encode(change);
      this.#add(collector, 'match-results', resultKey(change), value, partition);
      loaded.resultBytes = value.length;
    }
    loaded.published = result;
    loaded.stale = false;
    loaded.restored = false;
  }

  #add(
    collector: RecordCollector,
    topic: keyof MatchCodecs,
    key: string,
    value: Buffer,
    partition = this.#options.partition,
  ): void {
    checkSize(topic, key, value);
    collector.add(this.#names[topic], key, value, partition);
  }

  #apply(
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void | Promise<void> {
    const loaded = this.#find(message.event_id);
    if (loaded instanceof Promise)
      return loaded.then((found) => this.#applyTo(found, record, message, collector));
    this.#applyTo(loaded, record, message, collector);
  }

  #applyTo(
    loaded: LoadedMatch,
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    const { codecs, partition } = this.#options;
    const { event_id, ut, received_at, message_id } = message;
    this.#clock.follow(received_at);
    loaded.usedAt = this.#clock.elapsedMs;
    this.#turn += 1;
    loaded.turn = this.#turn;
    const cause: Cause = {
      topic: 'normalized-messages',
      partition,
      offset: record.offset,
      ut,
      received_at,
      message_id,
    };
    const bytes = record.value?.length ?? 0;
    if (mayOutgrow(loaded, bytes)) checkSizes(codecs, loaded, message, cause);
    const { transitions, incidents, result } = applyMessage(loaded.match, message, cause);
    if (transitions.length === 0) return;
    loaded.pendingBytes += bytes;
    const key = String(event_id);
    const codec = codecs['match-transitions'];
    for (const transition of transitions) {
      collector.add(this.#names['match-transitions'], key, codec.encode(transition));
    }
    for (const id of incidents) loaded.touched.add(id);
    if (result || loaded.restored) loaded.stale = true;
    this.#changed.set(event_id, loaded);
  }

  /** The match from memory, loaded from disk, or new. */
  #find(eventId: number): LoadedMatch | Promise<LoadedMatch> {
    const found = this.#loaded.get(eventId);
    if (found !== undefined) return found;
    const records = this.#spilled.take(eventId);
    if (records === null) return this.#hold(eventId, newLoaded(this.#options.codecs, eventId));
    const loaded = load(this.#options.codecs, eventId, records);
    return loaded instanceof Promise
      ? loaded.then((ready) => this.#hold(eventId, ready))
      : this.#hold(eventId, loaded);
  }

  #hold(eventId: number, loaded: LoadedMatch): LoadedMatch {
    this.#loaded.set(eventId, loaded);
    this.#loadedBytes += weightOf(loaded);
    if (!loaded.live) this.#resting += 1;
    return loaded;
  }

  #spill(eventId: number, loaded: LoadedMatch): void {
    this.#loaded.delete(eventId);
    this.#loadedBytes -= weightOf(loaded);
    if (!loaded.live) this.#resting -= 1;
    const records = spilled(this.#options.codecs, loaded);
    if (records.length > 0) this.#spilled.put(eventId, records);
  }

  #spillLeastUsed(): void {
    const matches = this.#options.maxLoaded * KEPT_SHARE;
    const bytes = this.#maxLoadedBytes * KEPT_SHARE;
    for (const [eventId, loaded] of this.#leastUsed()) {
      if (this.#loaded.size <= matches && this.#loadedBytes <= bytes) return;
      this.#spill(eventId, loaded);
    }
  }

  #spillResting(): void {
    for (const [eventId, loaded] of this.#leastUsed()) {
      if (this.#resting <= MAX_RESTING * KEPT_SHARE) return;
      if (!loaded.live) this.#spill(eventId, loaded);
    }
  }

  /** Matches in memory without changes to publish, least recently used first. */
  #leastUsed(): [eventId: number, loaded: LoadedMatch][] {
    return [...this.#loaded]
      .filter(([eventId]) => !this.#changed.has(eventId))
      .sort(([, a], [, b]) => a.turn - b.turn);
  }
}

function hasValue(record: ConsumedRecord): record is ConsumedRecord & KeyedValue {
  return record.key !== null && record.value !== null;
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
