import {
  applyMessage,
  isSettled,
  type Match,
  matchIncident,
  matchResult,
  matchState,
  newMatch,
  restoreMatch,
  stampOf,
} from '#domain/match.ts';
import { resultChanges, resultKey, seasonKey, type TableResult } from '#domain/match-result.ts';
import { decodeInput } from '#streams/decode-input.ts';
import { partitionHash } from '#streams/murmur2.ts';
import type { ConsumedRecord } from '#streams/port.ts';
import type { PartitionProcessor } from '#streams/processor.ts';
import type { RecordCollector } from '#streams/record-collector.ts';
import type { Codec } from '#topics/codec.ts';
import type {
  Cause,
  MatchIncident,
  MatchResult,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#topics/generated/types.ts';
import { TOPICS, type TopicName } from '#topics/topics.ts';
import { ColdStore } from './cold-store.ts';

/** The topics of the match processor, in and out. */
export type MatchCodecs = {
  readonly 'normalized-messages': Codec<NormalizedMessage>;
  readonly 'match-incidents': Codec<MatchIncident>;
  readonly 'match-state': Codec<MatchState>;
  readonly 'match-transitions': Codec<MatchTransition>;
  readonly 'match-results': Codec<MatchResult>;
};

export type MatchPartitionOptions = {
  readonly partition: number;
  readonly codecs: MatchCodecs;
  /** Name of a topic on the broker. */
  readonly topicName: (topic: TopicName) => string;
  /**
   * A settled match leaves the heap when nothing came for it for this long, in milliseconds of the time at which
   * messages were received: in a replay, that runs as fast as the replay does.
   */
  readonly keepSettledMs: number;
};

type HotMatch = {
  readonly match: Match;
  /** Incidents that changed since the last flush. */
  touched: Set<string>;
  /** Its incidents as they were last written, by key: encoding all of them once more to put it away costs more. */
  readonly written: Map<string, Buffer>;
  usedAt: number;
  /** What tables were told of it last. */
  told: TableResult | null;
  /** `told` may be of another state than the match is in. */
  stale: boolean;
  /** Nothing was told of it since the partition was taken over. */
  restored: boolean;
};

const RESULT_PARTITIONS = TOPICS['match-results'].partitions;

/** Looking for matches to put away costs a pass over all of them. */
const SWEEP_MS = 60_000;

/** All matches of one partition: takes messages, keeps their state, writes what changed. */
export class MatchPartition implements PartitionProcessor {
  readonly #options: MatchPartitionOptions;
  readonly #names: Readonly<Record<keyof MatchCodecs, string>>;
  readonly #hot = new Map<number, HotMatch>();
  readonly #cold = new ColdStore();
  /** Events that were restored, and not met since. */
  readonly #restored = new Set<number>();
  /** Matches that changed since the last flush. */
  readonly #changed = new Map<number, HotMatch>();
  /** Latest time at which a message was received, Unix milliseconds. */
  #time = 0;
  #sweptAt = 0;

  constructor(options: MatchPartitionOptions) {
    this.#options = options;
    const { topicName } = options;
    this.#names = {
      'normalized-messages': topicName('normalized-messages'),
      'match-incidents': topicName('match-incidents'),
      'match-state': topicName('match-state'),
      'match-transitions': topicName('match-transitions'),
      'match-results': topicName('match-results'),
    };
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): void {
    for (const { key, value } of records) {
      if (key === null || value === null) continue;
      // Kept encoded: most matches of a long log are over, and the rest are decoded when they are next needed.
      const text = key.toString();
      const eventId = Number.parseInt(text, 10);
      this.#cold.put(eventId, text, value);
      this.#restored.add(eventId);
    }
  }

  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void> {
    const message = decodeInput(this.#options.codecs['normalized-messages'], record.value);
    if (message instanceof Promise) return message.then((decoded) => this.#apply(record, decoded, collector));
    return this.#apply(record, message, collector);
  }

  flush(collector: RecordCollector): void {
    const { codecs } = this.#options;
    for (const [eventId, hot] of this.#changed) {
      for (const id of hot.touched) {
        const key = incidentKey(eventId, id);
        const value = codecs['match-incidents'].encode(matchIncident(hot.match, id));
        hot.written.set(key, value);
        collector.add(this.#names['match-incidents'], key, value);
      }
      hot.touched = new Set();
      collector.add(
        this.#names['match-state'],
        String(eventId),
        codecs['match-state'].encode(matchState(hot.match)),
      );
      if (hot.stale) this.#tellTables(hot, collector);
    }
    this.#changed.clear();
  }

  /**
   * What was told last follows from the state before, so that a restored match knows it without being told. But readers
   * may have seen what an aborted transaction of the owner before told of it (docs/decisions/0045), so it is told again.
   */
  #tellTables(hot: HotMatch, collector: RecordCollector): void {
    const result = matchResult(hot.match);
    const codec = this.#options.codecs['match-results'];
    for (const change of resultChanges(hot.told, result, stampOf(hot.match), hot.restored)) {
      const partition = partitionHash(Buffer.from(seasonKey(change))) % RESULT_PARTITIONS;
      collector.add(this.#names['match-results'], resultKey(change), codec.encode(change), partition);
    }
    hot.told = result;
    hot.stale = false;
    hot.restored = false;
  }

  committed(): void {
    if (this.#time < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = this.#time;
    for (const [eventId, hot] of this.#hot) {
      const idle = hot.usedAt + this.#options.keepSettledMs <= this.#time;
      if (idle && isSettled(hot.match)) this.#putAway(eventId, hot);
    }
  }

  /** Matches held decoded, ready for the next message. */
  hotSize(): number {
    return this.#hot.size;
  }

  size(): number {
    return this.#hot.size + this.#cold.size;
  }

  close(): void {
    this.#cold.close();
    this.#hot.clear();
  }

  #apply(
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void | Promise<void> {
    const hot = this.#find(message.event_id);
    if (hot instanceof Promise) return hot.then((found) => this.#applyTo(found, record, message, collector));
    this.#applyTo(hot, record, message, collector);
  }

  #applyTo(
    hot: HotMatch,
    record: ConsumedRecord,
    message: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    const cause: Cause = {
      topic: 'normalized-messages',
      partition: this.#options.partition,
      offset: record.offset,
      ut: message.ut,
      received_at: message.received_at,
      message_id: message.message_id,
    };
    const { transitions, incidents, result } = applyMessage(hot.match, message, cause);
    hot.usedAt = message.received_at;
    this.#time = Math.max(this.#time, message.received_at);
    if (transitions.length === 0) return;
    const key = String(message.event_id);
    const codec = this.#options.codecs['match-transitions'];
    for (const transition of transitions) {
      collector.add(this.#names['match-transitions'], key, codec.encode(transition));
    }
    for (const id of incidents) hot.touched.add(id);
    if (result || hot.restored) hot.stale = true;
    this.#changed.set(message.event_id, hot);
  }

  /** The match in memory, brought back whole from the cold store, or new. */
  #find(eventId: number): HotMatch | Promise<HotMatch> {
    const found = this.#hot.get(eventId);
    if (found !== undefined) return found;
    const cold = this.#cold.take(eventId, String(eventId));
    if (cold === null || cold.state === null) return this.#keep(eventId, newMatch(eventId), new Map());
    const { codecs } = this.#options;
    const state = codecs['match-state'].decode(cold.state);
    const incidents = [...cold.incidents.values()].map((bytes) => codecs['match-incidents'].decode(bytes));
    if (state instanceof Promise || incidents.some((incident) => incident instanceof Promise)) {
      return Promise.all([state, Promise.all(incidents)]).then(([ready, all]) =>
        this.#keep(eventId, restoreMatch(ready, all), cold.incidents),
      );
    }
    return this.#keep(eventId, restoreMatch(state, incidents as MatchIncident[]), cold.incidents);
  }

  #keep(eventId: number, match: Match, written: Map<string, Buffer>): HotMatch {
    const hot: HotMatch = {
      match,
      touched: new Set(),
      written,
      usedAt: this.#time,
      told: matchResult(match),
      stale: false,
      restored: this.#restored.delete(eventId),
    };
    this.#hot.set(eventId, hot);
    return hot;
  }

  #putAway(eventId: number, { match, written }: HotMatch): void {
    this.#hot.delete(eventId);
    const state = this.#options.codecs['match-state'].encode(matchState(match));
    this.#cold.putAll(eventId, written.set(String(eventId), state));
  }
}

function incidentKey(eventId: number, incidentId: string): string {
  return `${eventId}/${incidentId}`;
}
