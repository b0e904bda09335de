import { applyMessage, matchIncident, matchResult, matchState, stampOf } from '#domain/match.ts';
import { resultChanges, resultKey, seasonKey } from '#domain/match-result.ts';
import { type ConsumedRecord, partitionHash } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, identify } from '#topics/codec.ts';
import type { Cause, NormalizedMessage } from '#topics/generated/types.ts';
import { type NameTopic, namesOf, TOPICS } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import {
  checkSize,
  checkSizes,
  incidentKey,
  isLive,
  type LoadedMatch,
  MAX_PENDING_BYTES,
  type MatchCodecs,
  mayOutgrow,
  setIncident,
  VALUES,
} from './loaded-match.ts';
import { MatchCache, type MatchCacheOptions } from './match-cache.ts';
import { flagsOf } from './match-flags.ts';
import type { Committed } from './metrics.ts';

export type MatchPartitionOptions = MatchCacheOptions & {
  readonly partition: number;
  /** Name of a topic on the broker. */
  readonly topicName: NameTopic;
  /** Called after each commit, for the metrics. */
  readonly onCommitted?: (committed: Committed) => void;
};

const RESULT_PARTITIONS = TOPICS['match-results'].partitions;

/** All matches of one partition: applies messages, keeps their state, publishes changes. */
export class MatchPartition implements PartitionProcessor {
  readonly isKept = true;
  readonly #options: MatchPartitionOptions;
  readonly #names: Readonly<Record<keyof MatchCodecs, string>>;
  readonly #cache: MatchCache;
  /** Matches that changed since the last flush. */
  readonly #changed = new Map<number, LoadedMatch>();
  /** A match has as many messages as a transaction may have of one. */
  #isFull = false;
  /** When the messages of the next commit were received. */
  #receivedAt: number[] = [];
  /** The trace of the last message that changed each of these, where that is sampled. */
  readonly #traces = new Map<number, string>();

  constructor(options: MatchPartitionOptions) {
    this.#options = options;
    this.#cache = new MatchCache(options);
    this.#names = namesOf(VALUES, options.topicName);
  }

  /** Spills restored records: a match is decoded when its next message comes. */
  async restore(topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    const { codecs } = this.#options;
    if (topic === this.#names['match-state']) {
      await fetchSchemas(codecs['match-state'], records);
      this.#cache.restoreStates(records);
    } else {
      await fetchSchemas(codecs['match-incidents'], records);
      this.#cache.restoreIncidents(records);
    }
    await this.#cache.room();
  }

  async prepare(records: readonly ConsumedRecord[]): Promise<void> {
    await this.#cache.room();
    await fetchSchemas(this.#options.codecs['normalized-messages'], records);
  }

  process(record: ConsumedRecord, collector: RecordCollector): void {
    const message = decodeInput(this.#options.codecs['normalized-messages'], record.value);
    this.#apply(this.#cache.find(message.event_id), record, message, collector);
  }

  identify({ value }: ConsumedRecord): MessageFields {
    const codec = this.#options.codecs['normalized-messages'];
    return identify(codec, value, ({ message_id, event_id }) => ({ message_id, event_id }));
  }

  /** Whether a transaction has enough changes: changed matches cannot be spilled before the commit. */
  isFull(): boolean {
    return this.#isFull || this.#cache.isFull();
  }

  /** Throws `PoisonError` for a record over the limit that `process` could not foresee. */
  flush(collector: RecordCollector): void {
    for (const [eventId, loaded] of this.#changed) {
      if (this.#traces.size > 0) collector.traceparent = this.#traces.get(eventId);
      this.#cache.resize(loaded, () => this.#publish(eventId, loaded, collector));
    }
    this.#changed.clear();
    this.#traces.clear();
    this.#isFull = false;
  }

  committed(): void {
    this.#cache.evict((eventId) => this.#changed.has(eventId));
    this.#options.onCommitted?.({ receivedAt: this.#receivedAt, flagged: this.#cache.flagged });
    this.#receivedAt = [];
  }

  /** Matches in memory, ready for the next message. */
  loadedSize(): number {
    return this.#cache.loadedSize;
  }

  size(): number {
    return this.#cache.size;
  }

  close(): void {
    this.#cache.close();
    this.#changed.clear();
    this.#options.onCommitted?.({ receivedAt: [], flagged: this.#cache.flagged });
  }

  #publish(eventId: number, loaded: LoadedMatch, collector: RecordCollector): void {
    const { codecs } = this.#options;
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
    loaded.live = isLive(state);
    loaded.flags = flagsOf(state);
    loaded.pendingBytes = 0;
    if (loaded.stale) this.#publishResult(loaded, collector);
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
    loaded: LoadedMatch,
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    const { codecs, partition } = this.#options;
    const { event_id, ut, received_at, message_id } = message;
    this.#cache.use(loaded, received_at);
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
    this.#isFull ||= loaded.pendingBytes > MAX_PENDING_BYTES;
    const key = String(event_id);
    const codec = codecs['match-transitions'];
    for (const transition of transitions) {
      collector.add(this.#names['match-transitions'], key, codec.encode(transition));
    }
    for (const id of incidents) loaded.touched.add(id);
    if (result || loaded.restored) loaded.stale = true;
    this.#changed.set(event_id, loaded);
    this.#receivedAt.push(received_at);
    if (collector.traceparent !== undefined) this.#traces.set(event_id, collector.traceparent);
  }
}
