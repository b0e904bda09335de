/** Follows all matches with the Kafka client `@platformatic/kafka`, an optional peer of this package: see README.md. */
import { randomUUID } from 'node:crypto';
import {
  AuthenticationError,
  ConfluentSchemaRegistry,
  type ConfluentSchemaRegistryOptions,
  Consumer,
  type ConsumerOptions,
  FetchIsolationLevels,
  ListOffsetTimestamps,
  type MessagesStream,
  NetworkError,
  stringDeserializer,
} from '@platformatic/kafka';
import type { FeedStatus, HealthRecord, ReaderLimits } from '../trading/feed-status.ts';
import type { HaltRecord } from '../trading/halts.ts';
import type { ReaderChange } from './match.ts';
import { MatchReader, type ReaderGuard } from './match-reader.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

type ChangeOf<Kind extends ReaderChange['kind']> = Extract<ReaderChange, { kind: Kind }>;

/** What a program is told; all but `waiting` after the promise of `followMatches` has resolved. A handler that throws ends the following. */
export type FollowHandlers = {
  /** A goal counts; also of goals that counted before the start, once, before `ready`. */
  readonly goal?: (goal: ChangeOf<'goal'>) => void;
  /** A goal no longer counts: it was cancelled, removed or not confirmed. */
  readonly cancelled?: (goal: ChangeOf<'goal'>) => void;
  /** Who scored became known, or was corrected. */
  readonly scorer?: (scorer: ChangeOf<'scorer'>) => void;
  /** Whether you may act on a match changed, or is known first. Also called without a record: a dead feed closes the guard. */
  readonly guard?: (guard: ReaderGuard & { readonly eventId: number }) => void;
  /** The feed of a match in play is no longer believed. */
  readonly stale?: (stale: { readonly eventId: number; readonly feed: FeedStatus }) => void;
  /** Transitions were not read; the states are right nevertheless. */
  readonly gap?: (gap: ChangeOf<'gap'>) => void;
  /** The current state of all matches is read: at the start, and after each loss of the connection. */
  readonly ready?: () => void;
  /** Brokers or registry cannot be reached, or lost the connection: it connects again by itself, and meanwhile every guard is closed. */
  readonly waiting?: (error: unknown) => void;
  /** Called once, with what ended the following, such as refused credentials: mend it, or exit. */
  readonly error?: (error: unknown) => void;
};

/** `maxAgeSeconds`, `maxDelaySeconds`: as of `MatchReader`. */
export type MatchFollowOptions = ReaderLimits & {
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
/** Interval between requests for the ends of `match-state` and `trading-halts`, milliseconds. */
const ENDS_EVERY_MS = 400;
/** Longest wait of a fetch for records, milliseconds. */
const MAX_WAIT_MS = 200;
/** Delays before it connects again: the first, which doubles, and the longest, milliseconds. */
const RETRY_MS = { first: 250, longest: 5_000 };
/** How long a guard closed by `behind` is not told, milliseconds: a state arrives a fetch after its change. */
const BEHIND_MS = 500;

type Stream = MessagesStream<string, Buffer, string, string>;

/** A topic, read in a group of its own, so that this process reads all partitions. */
type ReadTopic = {
  readonly name: string;
  readonly stream: Stream;
  /** Whether a record waits for its schema. */
  isDecoding: boolean;
  /** The first offset of each partition; unknown until `untilRead`. */
  begins: readonly bigint[] | undefined;
  /** Brokers that have not answered yet where their partitions end. */
  readonly asked: Set<number>;
};

/** The connections of one attempt, which end together. */
type Connection = {
  readonly schemas: ConfluentSchemaRegistry;
  readonly consumers: Consumer<string, Buffer, string, string>[];
  /** Aborted with what it was lost by. */
  readonly lost: AbortController;
  /** Undefined while it connects. */
  endsTimer: NodeJS.Timeout | undefined;
};

type ReadRecord = { readonly partition: number; readonly key: string; readonly value: unknown };

type WatchedMatch = {
  /** Its last told permission and reasons, as JSON, and whether its feed was believed; undefined before. */
  told?: string;
  believed?: boolean;
  /** Since when its guard is closed by `behind`, by the steady clock. */
  behindSince?: number | undefined;
};

/** The followed matches. Every process reads all partitions; nothing is committed. */
export class FollowedMatches {
  readonly #reader: MatchReader;
  readonly #options: MatchFollowOptions;
  /** Null while it waits to connect again. */
  #connection: Connection | null = null;
  /** Id of the topic of states: one that was made again begins with other versions. */
  #topicId: string | null = null;
  /** The matches whose guard may change without a record: they are in play, or were with the last check. */
  readonly #inPlay = new Map<number, WatchedMatch>();
  /** Undefined until the program has this object. */
  #guardTimer: NodeJS.Timeout | undefined;
  /** What is told then. */
  readonly #untold: ReaderChange[] = [];
  #isClosed = false;

  private constructor(options: MatchFollowOptions) {
    this.#options = options;
    this.#reader = new MatchReader(options);
  }

  /** Resolves once the state of all matches is read; waits for brokers and registry that cannot be reached. Rejects when they refuse. */
  static async start(options: MatchFollowOptions): Promise<FollowedMatches> {
    const matches = new FollowedMatches(options);
    try {
      const connection = await matches.#connect();
      // After what awaits the promise has run: its handlers may use the result.
      setImmediate(() => matches.#begin(connection));
      return matches;
    } catch (error) {
      await matches.close();
      throw error;
    }
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
    await this.#drop();
  }

  /** Connects, and tries again while brokers or registry cannot be reached. Returns null once closed. Rejects with any other error. */
  async #connect(): Promise<Connection | null> {
    for (let delay = RETRY_MS.first; !this.#isClosed; delay = Math.min(2 * delay, RETRY_MS.longest)) {
      try {
        return await this.#open();
      } catch (error) {
        void this.#drop();
        if (this.#isClosed) return null;
        if (!isTransient(error)) throw error;
        this.#options.on.waiting?.(error);
      }
      await new Promise((resolve) => setTimeout(resolve, delay * (0.75 + Math.random() / 2)));
    }
    return null;
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    connection.lost.abort();
    clearInterval(connection.endsTimer);
    await Promise.allSettled(connection.consumers.map((consumer) => consumer.close(true)));
  }

  /** Tells what was read of a new connection, and from the first one on each change. */
  #begin(connection: Connection | null): void {
    this.#guarded(() => {
      // It was lost since: this is called again with the next one.
      if (connection !== this.#connection) return;
      this.#guardTimer ??= setInterval(() => this.#guarded(() => this.#checkGuards()), GUARD_EVERY_MS);
      this.#tell(this.#untold.splice(0));
      this.#checkGuards();
      this.#options.on.ready?.();
    });
  }

  async #open(): Promise<Connection> {
    const reader = this.#reader;
    const { registryUrl: url, registry } = this.#options;
    const schemas = new ConfluentSchemaRegistry({ url, ...registry });
    const lost = new AbortController();
    const connection: Connection = { schemas, consumers: [], lost, endsTimer: undefined };
    this.#connection = connection;
    // Transitions begin before the states end, so none is missing between both.
    const transitions = await this.#read(connection, 'match-transitions', 'latest');
    const health = await this.#read(connection, 'feed-health', 'earliest');
    const halts = await this.#read(connection, 'trading-halts', 'earliest');
    const states = await this.#read(connection, 'match-state', 'earliest');
    await this.#refuseOtherTopic(states);
    const askedAt = performance.now();
    const ends = await endsOf(states);
    reader.assign(ends.keys());
    let isReady = false;
    this.#consume(connection, transitions, ({ partition, value }) => {
      if (value !== null) this.#tell(reader.applyTransition(partition, value as TransitionRecord).changes);
    });
    this.#consume(connection, health, ({ key, value }) =>
      reader.applyHealth(key, value as HealthRecord | null, performance.now()),
    );
    this.#consume(connection, halts, ({ key, value }) => {
      reader.applyHalt(key, value as HaltRecord | null);
      if (isReady) this.#checkGuards();
    });
    this.#consume(connection, states, ({ partition, key, value }) => {
      const eventId = Number(key);
      const { changes } = reader.applyState(partition, eventId, value as MatchStateRecord | null);
      if (value !== null && !this.#inPlay.has(eventId)) this.#inPlay.set(eventId, {});
      this.#tell(changes);
      if (isReady) this.#checkGuard(eventId);
    });
    const statesEnd: TellEnd = (partition, end, at, next) => {
      reader.endsAt(partition, Number(end), at);
      if (next !== null) reader.readTo(partition, Number(next));
    };
    const haltsEnd: TellEnd = (_, end, at, next) => {
      reader.haltsEndAt(Number(end), at);
      if (next !== null) reader.haltsReadTo(Number(next));
    };
    await untilRead(connection, states, ends);
    const haltEnds = await endsOf(halts);
    await untilRead(connection, halts, haltEnds);
    this.#guarded(() => {
      for (const [partition, end] of ends) {
        this.#tell(reader.caughtUp(partition));
        statesEnd(partition, end, askedAt, end);
      }
      for (const [partition, end] of haltEnds) haltsEnd(partition, end, askedAt, end);
    });
    // A handler that threw has ended the following.
    lost.signal.throwIfAborted();
    isReady = true;
    connection.endsTimer = setInterval(() => {
      void tellEnds(connection, states, statesEnd);
      void tellEnds(connection, halts, haltsEnd);
    }, ENDS_EVERY_MS);
    return connection;
  }

  /** Throws where the topic of states was deleted and made again since the start: nothing that is known is newer or older than its records. */
  async #refuseOtherTopic({ name, stream }: ReadTopic): Promise<void> {
    const { topics } = await stream.consumer.metadata({ topics: [name], forceUpdate: true });
    const id = topics.get(name)?.id ?? null;
    if (this.#topicId !== null && id !== this.#topicId)
      throw new Error(`${name} was deleted and made again: start again, which reads it from its beginning`);
    this.#topicId = id;
  }

  async #read(connection: Connection, kind: string, mode: 'earliest' | 'latest'): Promise<ReadTopic> {
    connection.lost.signal.throwIfAborted();
    const { brokers, client, prefix = 'touchline.' } = this.#options;
    const name = `${prefix}${kind}`;
    const consumer = new Consumer<string, Buffer, string, string>({
      clientId: 'touchline-reader',
      ...client,
      groupId: `touchline-reader-${randomUUID()}`,
      bootstrapBrokers: [...brokers],
      isolationLevel: FetchIsolationLevels.READ_COMMITTED,
      maxWaitTime: MAX_WAIT_MS,
      autocommit: false,
      // Values are decoded in `#consume`: the client's own decoding warns of an experimental API at each start.
      deserializers: {
        key: stringDeserializer,
        headerKey: stringDeserializer,
        headerValue: stringDeserializer,
      } as never,
    });
    connection.consumers.push(consumer);
    const stream = (await consumer.consume({ topics: [name], mode, fallbackMode: mode })) as Stream;
    // From now on: an error that nobody listens to ends the process.
    stream.on('error', (error) => this.#lose(connection, error));
    return { name, stream, isDecoding: false, begins: undefined, asked: new Set() };
  }

  #consume(connection: Connection, topic: ReadTopic, take: (record: ReadRecord) => void): void {
    const { schemas } = connection;
    const { stream } = topic;
    const { value: decode } = schemas.getDeserializers();
    stream.on('data', ({ partition, key, value }) => {
      const bytes: Buffer | null = value ?? null;
      const pass = (): void => {
        if (connection.lost.signal.aborted) return;
        this.#guarded(() =>
          take({ partition, key: String(key), value: bytes === null ? null : decode?.(bytes) }),
        );
      };
      const schema = bytes === null ? undefined : schemas.getSchemaId(bytes, 'value');
      if (schema === undefined || schemas.get(schema) !== undefined) return pass();
      stream.pause();
      topic.isDecoding = true;
      void schemas.fetchSchema(schema, (error) => {
        topic.isDecoding = false;
        if (error) return this.#lose(connection, error);
        pass();
        stream.resume();
      });
    });
  }

  #tell(changes: readonly ReaderChange[]): void {
    for (const change of changes)
      if (this.#guardTimer === undefined) this.#untold.push(change);
      else if (change.kind === 'scorer') this.#options.on.scorer?.(change);
      else if (change.kind === 'gap') this.#options.on.gap?.(change);
      else if (change.status === 'stands') this.#options.on.goal?.(change);
      else this.#options.on.cancelled?.(change);
  }

  #checkGuards(): void {
    for (const eventId of this.#inPlay.keys()) this.#checkGuard(eventId);
  }

  #checkGuard(eventId: number): void {
    const match = this.#inPlay.get(eventId);
    // The guards of now are told when the program has this object.
    if (match === undefined || this.#guardTimer === undefined) return;
    const { told, believed } = match;
    const guard = this.guard(eventId);
    const { permission, reasons, feed } = guard;
    const now = performance.now();
    match.behindSince = reasons.includes('behind') ? (match.behindSince ?? now) : undefined;
    if (match.behindSince !== undefined && now - match.behindSince < BEHIND_MS) return;
    match.told = JSON.stringify([permission, reasons]);
    match.believed = feed.believed;
    const isOver = permission === 'not_in_play';
    if (isOver || this.state(eventId) === null) this.#inPlay.delete(eventId);
    if (match.told !== told && !(isOver && told === undefined))
      this.#options.on.guard?.({ ...guard, eventId });
    if (believed === true && !feed.believed && !isOver) this.#options.on.stale?.({ eventId, feed });
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

  /** Gives up a connection that failed. Closes every guard, and connects again where the failure may pass. */
  #lose(connection: Connection, error: unknown): void {
    if (connection.lost.signal.aborted || this.#isClosed) return;
    connection.lost.abort(error);
    // While it connects, its promise rejects.
    if (connection.endsTimer === undefined) return;
    if (!isTransient(error)) {
      this.#fail(error);
      return;
    }
    this.#reader.assign(this.#reader.partitions());
    this.#guarded(() => {
      this.#options.on.waiting?.(error);
      this.#checkGuards();
    });
    void this.#drop();
    this.#connect().then(
      (next) => this.#begin(next),
      (refusal: unknown) => this.#fail(refusal),
    );
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    void this.close().catch(() => {});
    this.#options.on.error?.(error);
  }
}

/** Whether all records that arrived were passed on. */
function isIdle({ stream, isDecoding }: ReadTopic): boolean {
  return stream.readableLength === 0 && !isDecoding;
}

/** Returns the offset that is fetched next: behind the markers of transactions too. */
function nextOf({ name, stream }: ReadTopic, partition: number): bigint {
  return stream.offsetsToFetch.get(`${name}:${partition}`) ?? 0n;
}

function isRead(topic: ReadTopic, partition: number, end: bigint): boolean {
  return end === topic.begins?.[partition] || nextOf(topic, partition) >= end;
}

/** Returns the end of each of these partitions, by default all: what is committed now is before it. */
async function endsOf({ name, stream }: ReadTopic, partitions?: number[]): Promise<Map<number, bigint>> {
  const found = await stream.consumer.listOffsets({
    topics: [name],
    ...(partitions !== undefined && { partitions: { [name]: partitions } }),
    timestamp: ListOffsetTimestamps.LATEST,
    isolationLevel: FetchIsolationLevels.READ_COMMITTED,
  });
  // The list has a place for each partition up to the last one that was asked for.
  const ends = found.get(name)?.entries() ?? [];
  return new Map(ends.filter(([, end]) => end !== undefined));
}

/** Resolves once these ends are read. Rejects with what the connection was lost by. */
async function untilRead(
  { lost }: Connection,
  topic: ReadTopic,
  ends: ReadonlyMap<number, bigint>,
): Promise<void> {
  const { name, stream } = topic;
  const timestamp = ListOffsetTimestamps.EARLIEST;
  topic.begins = (await stream.consumer.listOffsets({ topics: [name], timestamp })).get(name);
  for (;;) {
    lost.signal.throwIfAborted();
    if (stream.destroyed) throw stream.errored ?? new Error('the stream was closed');
    if (isIdle(topic) && [...ends].every((end) => isRead(topic, ...end))) return;
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
  }
}

/** Tells a partition's end at `at`, and how far it is read, null while unknown. */
type TellEnd = (partition: number, end: bigint, at: number, next: bigint | null) => void;

/** Tells the ends of all partitions. Asks each broker apart: a silent one withholds its own alone. */
async function tellEnds({ lost }: Connection, topic: ReadTopic, tell: TellEnd): Promise<void> {
  const { name, stream, asked } = topic;
  const metadata = await stream.consumer.metadata({ topics: [name] }).catch(() => null);
  const partitions = metadata?.topics.get(name)?.partitions ?? [];
  for (const [leader, of] of Map.groupBy(partitions.entries(), ([, { leader }]) => leader)) {
    if (asked.has(leader)) continue;
    asked.add(leader);
    const at = performance.now();
    const led = of.map(([partition]) => partition);
    void endsOf(topic, led)
      .then((ends) => {
        for (const [partition, end] of lost.signal.aborted ? [] : ends) {
          const next = isRead(topic, partition, end) ? end : nextOf(topic, partition);
          tell(partition, end, at, isIdle(topic) ? next : null);
        }
      })
      .catch(() => {})
      .finally(() => asked.delete(leader));
  }
}

/** An error, with what an error of the client says of whether it may pass. */
type ClientError = Error &
  Partial<Readonly<Record<'code' | 'canRetry' | 'needsRejoin', unknown>>> & { readonly errors?: unknown[] };

/** Whether an error may pass by itself: brokers or registry cannot be reached, or a broker is starting. */
function isTransient(error: unknown): boolean {
  const all = causesOf(error);
  if (all.some(({ code }) => code === AuthenticationError.code)) return false;
  return all.some(
    ({ code, canRetry, needsRejoin }) =>
      canRetry === true || needsRejoin === true || code === NetworkError.code,
  );
}

/** Returns an error and those within it. */
function causesOf(error: unknown): ClientError[] {
  if (!(error instanceof Error)) return [];
  const { cause, errors = [] }: ClientError = error;
  return [error, ...[cause, ...errors].flatMap(causesOf)];
}

/** Follows all matches; see `FollowedMatches.start`. */
export const followMatches = FollowedMatches.start;
