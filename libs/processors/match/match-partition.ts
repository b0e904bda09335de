import { applyMessage, matchIncident, matchResult, matchState, stampOf } from '#domain/match.ts';
import { resultChanges, resultKey, seasonKey } from '#domain/match-result.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Cause, NormalizedMessage } from '#records/types.ts';
import { type ConsumedRecord, partitionOfKey } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { decodeInput, fetchSchemas, fetchStateSchemas, identify } from '#topics/codec.ts';
import { type NameTopic, TOPICS } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { type OwnPartition, requireOwnPartition } from '../own-partition.ts';
import {
  checkIncidents,
  checkSize,
  checkSizes,
  type FlagCounts,
  flagsOf,
  incidentKey,
  type LoadedMatch,
  MAX_PENDING_BYTES,
  type MatchCodecs,
  mayOutgrow,
  refusedMessage,
  setIncident,
} from './loaded-match.ts';
import { MatchCache } from './match-cache.ts';
import type { WebhookComposer } from './webhook-messages.ts';

export type MatchPartitionOptions = OwnPartition & {
  readonly codecs: MatchCodecs;
  /** Maximum number of matches in memory; the most recently used stay. */
  readonly maxLoaded: number;
  /** Maximum estimated bytes of matches in memory. Default 64 MiB. */
  readonly maxLoadedBytes?: number;
  readonly topicName: NameTopic;
  /** Composes the webhook messages. Default: they are left out. */
  readonly webhooks?: WebhookComposer | undefined;
  /** Called with the effect of each commit, for the metrics. */
  readonly onCommitted?: (commit: {
    /** When the messages that changed a match were received, Unix milliseconds. */
    readonly receivedAt: readonly number[];
    /** Number of matches in memory by flag. */
    readonly flagged: FlagCounts;
  }) => void;
};

const RESULT_PARTITIONS = TOPICS['match-results'].partitions;

/** The matches of one partition: applies messages, keeps the state of matches, publishes changes. */
export class MatchPartition implements PartitionProcessor {
  readonly isKept = true;
  readonly #options: MatchPartitionOptions;
  readonly #cache: MatchCache;
  readonly #changed = new Map<number, LoadedMatch>();
  /** Whether the messages of one match exceed `MAX_PENDING_BYTES`. */
  #isFull = false;
  /** When the messages of the next commit were received. */
  #receivedAt: number[] = [];
  /** The trace of the last message that changed each match, if that message is sampled. */
  readonly #traces = new Map<number, string>();

  constructor(options: MatchPartitionOptions) {
    this.#options = options;
    this.#cache = new MatchCache(options.codecs, options.maxLoaded, options.maxLoadedBytes);
  }

  async restore(topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    const { codecs, topicName, webhooks } = this.#options;
    if (topic === topicName('webhook-times')) return webhooks?.restore(records);
    await fetchStateSchemas(
      codecs[topic === topicName('match-state') ? 'match-state' : 'match-incidents'],
      records,
    );
    this.#cache.restore(records);
  }

  async prepare(records: readonly ConsumedRecord[]): Promise<void> {
    await fetchSchemas(this.#options.codecs['normalized-messages'], records);
  }

  process(record: ConsumedRecord, collector: RecordCollector): void {
    const message = decodeInput(this.#options.codecs['normalized-messages'], record.value);
    const { event_id } = message;
    if (event_id < 1)
      throw new PoisonError('UNKNOWN_SHAPE', `event_id: expected 1 or more, found ${event_id}`);
    requireOwnPartition(String(event_id), this.#options);
    this.#apply(this.#cache.find(event_id), record, message, collector);
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identify(this.#options.codecs['normalized-messages'], value);
  }

  /** Whether a transaction has enough changes: changed matches cannot be spilled before the commit. */
  isFull(): boolean {
    return this.#isFull || this.#cache.isFull();
  }

  /** Publishes the changed matches. Throws `PoisonError` for a record above the limit that `process` did not foresee. */
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
    this.#cache.evict();
    this.#options.onCommitted?.({ receivedAt: this.#receivedAt, flagged: this.#cache.flagged });
    this.#receivedAt = [];
  }

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
    loaded.flags = flagsOf(state);
    loaded.pendingBytes = 0;
    if (loaded.isResultStale) this.#publishResult(loaded, collector);
  }

  /** Publishes a match's changed result; a restored one unchanged too, as readers may have seen an aborted one (docs/decisions/0045). */
  #publishResult(loaded: LoadedMatch, collector: RecordCollector): void {
    const { match, publishedResult, restored } = loaded;
    const result = matchResult(match);
    const codec = this.#options.codecs['match-results'];
    for (const change of resultChanges(publishedResult, result, stampOf(match), restored)) {
      const partition = partitionOfKey(seasonKey(change), RESULT_PARTITIONS);
      const value = codec.encode(change);
      this.#add(collector, 'match-results', resultKey(change), value, partition);
      loaded.resultBytes = value.length;
    }
    loaded.publishedResult = result;
    loaded.isResultStale = false;
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
    collector.add(this.#options.topicName(topic), key, value, partition);
  }

  /** Applies a message. Of one that its match refuses, applies the mark that closes the guard, and throws `PoisonError`. */
  #apply(
    loaded: LoadedMatch,
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    const { codecs, partition } = this.#options;
    const { ut, received_at, message_id } = message;
    const { offset, value } = record;
    const cause = { topic: 'normalized-messages', partition, offset, ut, received_at, message_id };
    const bytes = value?.length ?? 0;
    try {
      checkIncidents(loaded.match, message);
      if (mayOutgrow(loaded, bytes)) checkSizes(codecs, loaded, message, cause);
    } catch (error) {
      if (error instanceof PoisonError)
        this.#change(loaded, refusedMessage(message, error), cause, 0, collector);
      throw error;
    }
    this.#change(loaded, message, cause, bytes, collector);
  }

  #change(
    loaded: LoadedMatch,
    message: NormalizedMessage,
    cause: Cause,
    bytes: number,
    collector: RecordCollector,
  ): void {
    const { event_id, received_at } = message;
    const { transitions, incidents, result, inPlay } = applyMessage(loaded.match, message, cause);
    if (transitions.length === 0) return;
    loaded.pendingBytes += bytes;
    this.#isFull ||= loaded.pendingBytes > MAX_PENDING_BYTES;
    const key = String(event_id);
    const { codecs, topicName } = this.#options;
    const codec = codecs['match-transitions'];
    for (const one of transitions) collector.add(topicName('match-transitions'), key, codec.encode(one));
    this.#options.webhooks?.add({ transitions, inPlay }, message, collector);
    for (const id of incidents) loaded.touched.add(id);
    if (result || loaded.restored) loaded.isResultStale = true;
    this.#changed.set(event_id, loaded);
    this.#receivedAt.push(received_at);
    if (collector.traceparent !== undefined) this.#traces.set(event_id, collector.traceparent);
  }
}
