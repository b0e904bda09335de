/** Follows all matches with the Kafka client `@platformatic/kafka`, an optional peer of this package: see README.md. */
import { randomUUID } from 'node:crypto';
import {
  ConfluentSchemaRegistry,
  type ConfluentSchemaRegistryOptions,
  Consumer,
  type ConsumerOptions,
  FetchIsolationLevels,
  ListOffsetTimestamps,
  type MessagesStream,
  stringDeserializer,
} from '@platformatic/kafka';
import type { FeedStatus, HealthRecord } from '../tradability/feed-status.ts';
import type { ReaderChange } from './match.ts';
import { MatchReader, type ReaderGuard } from './match-reader.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

type ChangeOf<Kind extends ReaderChange['kind']> = Extract<ReaderChange, { kind: Kind }>;

/** A guard that changed, or the first one of a match. */
export type GuardChange = ReaderGuard & { readonly eventId: number };

/** A match in play whose feed is no longer believed. */
export type StaleFeed = { readonly eventId: number; readonly feed: FeedStatus };

/** What a program is told. A handler that throws ends the following with `error`. */
export type FollowHandlers = {
  /** A goal counts; of goals that counted before the start, once after `ready`. */
  readonly goal?: (goal: ChangeOf<'goal'>) => void;
  /** A goal no longer counts: it was cancelled, removed or not confirmed. */
  readonly cancelled?: (goal: ChangeOf<'goal'>) => void;
  /** Who scored became known, or was corrected. */
  readonly scorer?: (scorer: ChangeOf<'scorer'>) => void;
  /** Whether you may act on a match changed. Also called without a record: a dead feed closes the guard. */
  readonly guard?: (guard: GuardChange) => void;
  readonly stale?: (stale: StaleFeed) => void;
  /** Transitions were not read; the states are right nevertheless. */
  readonly gap?: (gap: ChangeOf<'gap'>) => void;
  /** The current state of all matches is read. */
  readonly ready?: () => void;
  /** Called once, with what ended the following: start again, or exit. */
  readonly error?: (error: unknown) => void;
};

export type MatchFollowOptions = {
  /** Addresses such as `localhost:9092`. */
  readonly brokers: readonly string[];
  /** Address of the schema registry's Confluent API. */
  readonly registryUrl: string;
  /** Default: `touchline.` */
  readonly prefix?: string;
  /** More options of the client, e.g. `sasl` and `tls`. */
  readonly client?: Partial<
    Pick<ConsumerOptions<string, unknown, string, string>, 'clientId' | 'sasl' | 'tls'>
  >;
  /** More options of the registry's client, e.g. `auth`. */
  readonly registry?: Partial<Pick<ConfluentSchemaRegistryOptions, 'auth' | 'headers' | 'tls'>>;
  readonly on: FollowHandlers;
};

/** Interval between evaluations of the guards of matches in play, milliseconds. */
const GUARD_EVERY_MS = 100;
/** Delay between checks of whether the states are read, milliseconds. */
const CHECK_EVERY_MS = 20;
/** Interval between requests for the ends of `match-state`, milliseconds. */
const ENDS_EVERY_MS = 400;
/** Longest wait of a fetch for records, milliseconds. */
const MAX_WAIT_MS = 200;

type Stream = MessagesStream<string, unknown, string, string>;

/** Whether a partition is read to this end. */
type IsRead = (of: readonly [partition: number, end: bigint]) => boolean;

/** The followed matches. Every process reads all partitions; nothing is committed. */
export class FollowedMatches {
  readonly #reader = new MatchReader();
  readonly #on: FollowHandlers;
  readonly #consumers: Consumer<string, unknown, string, string>[] = [];
  /** Ids of the matches whose guard may change without a record: they are in play, or were with the last check. */
  readonly #inPlay = new Set<number>();
  /** The last told permission and reasons of each match in play, as JSON; and whether its feed was believed. */
  readonly #told = new Map<number, { readonly guard: string; readonly believed: boolean }>();
  #guardTimer: NodeJS.Timeout | undefined;
  #endsTimer: NodeJS.Timeout | undefined;
  /** Brokers that have not answered yet where their partitions end. */
  readonly #asked = new Set<number>();
  #isReady = false;
  #isClosed = false;

  private constructor(on: FollowHandlers) {
    this.#on = on;
  }

  /** Starts to follow. Resolves once the current state of all matches is read. Rejects when the broker refuses, or an error occurs before. */
  static async start(options: MatchFollowOptions): Promise<FollowedMatches> {
    const matches = new FollowedMatches(options.on);
    try {
      await matches.#open(options);
    } catch (error) {
      await matches.close();
      throw error;
    }
    return matches;
  }

  /** Returns the newest state of a match; null if there is none. */
  state(eventId: number): MatchStateRecord | null {
    return this.#reader.state(eventId);
  }

  /** Yields the ids of all known matches. */
  eventIds(): Generator<number> {
    return this.#reader.eventIds();
  }

  /** Decides whether you may act on a match now. Call it before each act. */
  guard(eventId: number): ReaderGuard {
    return this.#reader.guard(eventId, { wall: Date.now(), steady: performance.now() });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#guardTimer);
    clearInterval(this.#endsTimer);
    await Promise.all(this.#consumers.map((consumer) => consumer.close(true)));
  }

  async #open(options: MatchFollowOptions): Promise<void> {
    const prefix = options.prefix ?? 'touchline.';
    const topic = (name: string): string => `${prefix}${name}`;
    // Transitions begin before the states end, so none is missing between both.
    const transitions = await this.#stream(options, topic('match-transitions'), 'latest');
    const health = await this.#stream(options, topic('feed-health'), 'earliest');
    const states = await this.#stream(options, topic('match-state'), 'earliest');
    const askedAt = performance.now();
    const ends = await this.#endsOf(states, topic('match-state'));
    this.#reader.assign(ends.keys());
    this.#consume(transitions, ({ partition, value }) => {
      if (value !== null)
        this.#tell(this.#reader.applyTransition(partition, value as TransitionRecord).changes);
    });
    this.#consume(health, ({ key, value }) =>
      this.#reader.applyHealth(key, value as HealthRecord | null, performance.now()),
    );
    this.#consume(states, ({ partition, key, value }) => {
      const eventId = Number(key);
      const state = value as MatchStateRecord | null;
      const { changes } = this.#reader.applyState(partition, eventId, state);
      if (state !== null) this.#inPlay.add(eventId);
      this.#tell(changes);
      if (this.#isReady) this.#checkGuard(eventId);
    });
    const isRead = await this.#untilRead(states, topic('match-state'), ends);
    for (const [partition, end] of ends) {
      this.#tell(this.#reader.caughtUp(partition));
      this.#reader.endsAt(partition, Number(end), askedAt);
      this.#reader.readTo(partition, Number(end));
    }
    this.#isReady = true;
    this.#endsTimer = setInterval(
      () => void this.#tellEnds(states, topic('match-state'), isRead).catch(() => {}),
      ENDS_EVERY_MS,
    );
    this.#checkGuards();
    this.#guardTimer = setInterval(() => this.#guarded(() => this.#checkGuards()), GUARD_EVERY_MS);
    this.#on.ready?.();
  }

  /** Opens a topic in a group of its own, so that this process reads all partitions. */
  async #stream(
    { brokers, registryUrl: url, client, registry }: MatchFollowOptions,
    topic: string,
    mode: 'earliest' | 'latest',
  ): Promise<Stream> {
    const schemas = new ConfluentSchemaRegistry({ url, ...registry });
    const consumer = new Consumer<string, unknown, string, string>({
      clientId: 'touchline-reader',
      ...client,
      groupId: `touchline-reader-${randomUUID()}`,
      bootstrapBrokers: [...brokers],
      isolationLevel: FetchIsolationLevels.READ_COMMITTED,
      maxWaitTime: MAX_WAIT_MS,
      autocommit: false,
      // Only values are Avro.
      beforeDeserialization: schemas.getBeforeDeserializationHook(),
      deserializers: {
        key: stringDeserializer,
        value: schemas.getDeserializers().value,
        headerKey: stringDeserializer,
        headerValue: stringDeserializer,
      } as never,
    });
    this.#consumers.push(consumer);
    const stream = await consumer.consume({ topics: [topic], mode, fallbackMode: mode });
    stream.on('error', (error) => this.#fail(error));
    return stream as Stream;
  }

  #consume(stream: Stream, take: (record: { partition: number; key: string; value: unknown }) => void): void {
    stream.on('data', ({ partition, key, value }) =>
      this.#guarded(() => take({ partition, key: String(key), value: value ?? null })),
    );
  }

  /**
   * Tells the reader how far it has read, and where each partition ends. Asks each broker apart, and again once it has answered: one
   * that is silent withholds its own ends only.
   */
  async #tellEnds(stream: Stream, topic: string, isRead: IsRead): Promise<void> {
    const { topics } = await stream.consumer.metadata({ topics: [topic] });
    const leaders = topics.get(topic)?.partitions.map(({ leader }) => leader) ?? [];
    await Promise.allSettled(
      [...new Set(leaders)].map(async (leader) => {
        if (this.#asked.has(leader)) return;
        this.#asked.add(leader);
        const at = performance.now();
        const partitions = [...leaders.keys()].filter((partition) => leaders[partition] === leader);
        const ends = await this.#endsOf(stream, topic, partitions).finally(() => this.#asked.delete(leader));
        if (this.#isClosed) return;
        for (const [partition, end] of ends) {
          this.#reader.endsAt(partition, Number(end), at);
          if (stream.readableLength > 0) continue;
          const next = stream.offsetsToFetch.get(`${topic}:${partition}`) ?? 0n;
          this.#reader.readTo(partition, Number(isRead([partition, end]) ? end : next));
        }
      }),
    );
  }

  /** Returns the end of each of these partitions, by default all: what is committed now is before it. */
  async #endsOf(stream: Stream, topic: string, partitions?: number[]): Promise<Map<number, bigint>> {
    const found = await stream.consumer.listOffsets({
      topics: [topic],
      ...(partitions !== undefined && { partitions: { [topic]: partitions } }),
      timestamp: ListOffsetTimestamps.LATEST,
      isolationLevel: FetchIsolationLevels.READ_COMMITTED,
    });
    // The list has a place for each partition up to the last one that was asked for.
    return new Map(
      found.get(topic)?.flatMap((end, partition) => (end === undefined ? [] : [[partition, end] as const])),
    );
  }

  /** Waits until all records before these ends have arrived. Returns whether that is so for an end. */
  async #untilRead(stream: Stream, topic: string, ends: ReadonlyMap<number, bigint>): Promise<IsRead> {
    const begins = await stream.consumer.listOffsets({
      topics: [topic],
      timestamp: ListOffsetTimestamps.EARLIEST,
    });
    // The positions also pass the markers of transactions.
    const isRead: IsRead = ([partition, end]) =>
      end === begins.get(topic)?.[partition] ||
      (stream.offsetsToFetch.get(`${topic}:${partition}`) ?? 0n) >= end;
    while (!(stream.readableLength === 0 && [...ends].every(isRead))) {
      if (stream.destroyed) throw stream.errored ?? new Error('the stream was closed');
      await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    }
    return isRead;
  }

  #tell(changes: readonly ReaderChange[]): void {
    for (const change of changes) {
      if (change.kind === 'scorer') this.#on.scorer?.(change);
      else if (change.kind === 'gap') this.#on.gap?.(change);
      else if (change.status === 'stands') this.#on.goal?.(change);
      else this.#on.cancelled?.(change);
    }
  }

  #checkGuards(): void {
    for (const eventId of this.#inPlay) this.#checkGuard(eventId);
  }

  #checkGuard(eventId: number): void {
    const guard = this.guard(eventId);
    const { permission, reasons, feed } = guard;
    const before = this.#told.get(eventId);
    if (permission === 'not_in_play') this.#inPlay.delete(eventId);
    if (permission === 'not_in_play' && before === undefined) return;
    const told = { guard: JSON.stringify([permission, reasons]), believed: feed.believed };
    if (permission === 'not_in_play') this.#told.delete(eventId);
    else this.#told.set(eventId, told);
    if (told.guard !== before?.guard) this.#on.guard?.({ ...guard, eventId });
    if (before?.believed === true && !feed.believed && permission !== 'not_in_play')
      this.#on.stale?.({ eventId, feed });
  }

  /** Runs what may call a handler. */
  #guarded(run: () => void): void {
    if (this.#isClosed) return;
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    void this.close().catch(() => {});
    this.#on.error?.(error);
  }
}

/** Follows all matches; see `FollowedMatches.start`. */
export function followMatches(options: MatchFollowOptions): Promise<FollowedMatches> {
  return FollowedMatches.start(options);
}
