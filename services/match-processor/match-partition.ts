import {
  applyMessage,
  incidentIds,
  isSettled,
  type Match,
  matchIncident,
  matchState,
  newMatch,
  restoreMatch,
} from '#domain/match.ts';
import { StreamError } from '#streams/errors.ts';
import type { Outbox } from '#streams/outbox.ts';
import type { ConsumedRecord } from '#streams/port.ts';
import { type PartitionProcessor, PoisonError } from '#streams/processor.ts';
import type { Codec } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import type {
  Cause,
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#topics/generated/types.ts';
import type { TopicName } from '#topics/topics.ts';
import { ColdStore } from './cold-store.ts';

/** The topics of the match processor, in and out. */
export type MatchCodecs = {
  readonly 'normalized-messages': Codec<NormalizedMessage>;
  readonly 'match-incidents': Codec<MatchIncident>;
  readonly 'match-state': Codec<MatchState>;
  readonly 'match-transitions': Codec<MatchTransition>;
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

type HotMatch = { readonly match: Match; touched: Set<string>; usedAt: number };

/** Looking for matches to put away costs a pass over all of them. */
const SWEEP_MS = 60_000;

/** All matches of one partition: takes messages, keeps their state, writes what changed. */
export class MatchPartition implements PartitionProcessor {
  readonly #options: MatchPartitionOptions;
  readonly #names: Readonly<Record<keyof MatchCodecs, string>>;
  readonly #hot = new Map<number, HotMatch>();
  readonly #cold = new ColdStore();
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
    };
  }

  restore(_topic: string, { key, value }: ConsumedRecord): void {
    if (key === null || value === null) return;
    // Kept encoded: most matches of a long log are over, and the rest are decoded when they are next needed.
    const text = key.toString();
    this.#cold.put(Number.parseInt(text, 10), text, value);
  }

  process(record: ConsumedRecord, outbox: Outbox): void | Promise<void> {
    const { value } = record;
    if (value === null) throw new PoisonError('no_value', 'a message without a value');
    const decoded = this.#decode(value);
    if (decoded instanceof Promise) {
      return decoded.catch(undecodable).then((message) => this.#apply(record, message, outbox));
    }
    return this.#apply(record, decoded, outbox);
  }

  flush(outbox: Outbox): void {
    const { codecs } = this.#options;
    for (const [eventId, hot] of this.#changed) {
      for (const id of hot.touched) {
        outbox.add(
          this.#names['match-incidents'],
          incidentKey(eventId, id),
          codecs['match-incidents'].encode(matchIncident(hot.match, id)),
        );
      }
      hot.touched = new Set();
      outbox.add(
        this.#names['match-state'],
        String(eventId),
        codecs['match-state'].encode(matchState(hot.match)),
      );
    }
    this.#changed.clear();
  }

  committed(): void {
    if (this.#time < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = this.#time;
    for (const [eventId, hot] of this.#hot) {
      const idle = hot.usedAt + this.#options.keepSettledMs <= this.#time;
      if (idle && isSettled(hot.match)) this.#putAway(eventId, hot.match);
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

  #decode(value: Buffer): NormalizedMessage | Promise<NormalizedMessage> {
    try {
      return this.#options.codecs['normalized-messages'].decode(value);
    } catch (error) {
      return undecodable(error);
    }
  }

  #apply(record: ConsumedRecord, message: NormalizedMessage, outbox: Outbox): void | Promise<void> {
    const hot = this.#find(message.event_id);
    if (hot instanceof Promise) return hot.then((found) => this.#applyTo(found, record, message, outbox));
    this.#applyTo(hot, record, message, outbox);
  }

  #applyTo(hot: HotMatch, record: ConsumedRecord, message: NormalizedMessage, outbox: Outbox): void {
    const cause: Cause = {
      topic: 'normalized-messages',
      partition: this.#options.partition,
      offset: record.offset,
      ut: message.ut,
      received_at: message.received_at,
      message_id: message.message_id,
    };
    const { transitions, incidents } = applyMessage(hot.match, message, cause);
    hot.usedAt = message.received_at;
    this.#time = Math.max(this.#time, message.received_at);
    if (transitions.length === 0) return;
    const key = String(message.event_id);
    const codec = this.#options.codecs['match-transitions'];
    for (const transition of transitions) {
      outbox.add(this.#names['match-transitions'], key, codec.encode(transition));
    }
    for (const id of incidents) hot.touched.add(id);
    this.#changed.set(message.event_id, hot);
  }

  /** The match in memory, brought back whole from the cold store, or new. */
  #find(eventId: number): HotMatch | Promise<HotMatch> {
    const found = this.#hot.get(eventId);
    if (found !== undefined) return found;
    const cold = this.#cold.take(eventId, String(eventId));
    if (cold === null || cold.state === null) return this.#keep(eventId, newMatch(eventId));
    const { codecs } = this.#options;
    const state = codecs['match-state'].decode(cold.state);
    const incidents = cold.incidents.map((bytes) => codecs['match-incidents'].decode(bytes));
    if (state instanceof Promise || incidents.some((incident) => incident instanceof Promise)) {
      return Promise.all([state, Promise.all(incidents)]).then(([ready, all]) =>
        this.#keep(eventId, restoreMatch(ready, all)),
      );
    }
    return this.#keep(eventId, restoreMatch(state, incidents as MatchIncident[]));
  }

  #keep(eventId: number, match: Match): HotMatch {
    const hot: HotMatch = { match, touched: new Set(), usedAt: this.#time };
    this.#hot.set(eventId, hot);
    return hot;
  }

  #putAway(eventId: number, match: Match): void {
    this.#hot.delete(eventId);
    this.#cold.putAll(eventId, this.#encoded(eventId, match));
  }

  *#encoded(eventId: number, match: Match): Generator<[key: string, value: Buffer], void, void> {
    const { codecs } = this.#options;
    yield [String(eventId), codecs['match-state'].encode(matchState(match))];
    for (const id of incidentIds(match)) {
      yield [incidentKey(eventId, id), codecs['match-incidents'].encode(matchIncident(match, id))];
    }
  }
}

function incidentKey(eventId: number, incidentId: string): string {
  return `${eventId}/${incidentId}`;
}

/** Bytes that can never be read are poison; a schema that cannot be fetched now is waited for. */
function undecodable(error: unknown): never {
  if (error instanceof DecodeError) {
    throw new PoisonError('undecodable', 'not a message of the schema', error);
  }
  throw new StreamError('UNAVAILABLE', 'the schema of a message cannot be fetched', error);
}
