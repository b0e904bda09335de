import { offsetsAt, readPositions } from '#cluster/logs.ts';
import { HealthMonitor } from '#domain/health/monitor.ts';
import type { PublishedHealth } from '#domain/health/records.ts';
import type { HealthLimits } from '#domain/health/verdict.ts';
import { DomainError } from '#domain/match.ts';
import { defineError } from '#errors/touchline-error.ts';
import type { FeedHealth } from '#records/types.ts';
import { partitionKey, partitionOfKey } from '#streams/client/port.ts';
import { PublishError } from '#streams/errors.ts';
import type { LeadershipTerm } from '#streams/leadership.ts';
import type { Logger } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import { type FetchedPartition, followLogs } from '#streams/read/follow.ts';
import { parsePosition } from '#streams/runtime/positions.ts';
import { type MachineClock, machineClock, sleep } from '#timing/clock.ts';
import type { Codec, Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import { type OpenTopics, readLatest } from '#topics/follow.ts';
import { applicationOf, positionsTopicName } from '#topics/processors.ts';
import { topicName } from '#topics/topics.ts';
import { reportUnreadable } from '#topics/unreadable.ts';
import { SERVICE } from './config.ts';
import type { MonitorMetrics } from './metrics.ts';

/** Thrown when another monitor publishes in a later term. */
class TermSupersededError extends defineError('TermSupersededError', (own: number, later: number) => [
  'TERM_SUPERSEDED',
  `this monitor leads in term ${own}, but another one publishes in term ${later}`,
]) {}

type TermOptions = OpenTopics & {
  readonly codec: Codec<FeedHealth>;
  /** A publisher with a short timeout: while no broker answers, records become outdated. */
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly limits: HealthLimits;
  readonly metrics: MonitorMetrics;
  readonly log: Logger;
};

/** Minimum interval between evaluations. */
const TICK_MS = 100;
/** Minimum interval of fetches, and their wait while something is due: by then everything written must be read. */
const FETCH_MS = 200;
/** Maximum wait of a fetch while nothing is due: a longer one would look like an outage of the broker. */
const MAX_FETCH_MS = 1_000;
/** Pause after an evaluation as a multiple of its duration, so that it takes a tenth of a core even with many matches. */
const PAUSE_FACTOR = 9;
/** Maximum interval between evaluations: silence must be noticed within a second. */
const MAX_TICK_MS = 400;
/** Maximum duration of a transaction: a position that is committed during the search for offsets was written within it. */
const OPEN_TRANSACTION_MS = 60_000;
/** How far back messages are read when there is no feed-health yet. */
const FIRST_READ_MS = 180 * 60_000;
/** The processor whose lag makes matches down. */
const PROCESSOR = 'match-processor';

/** A term of the monitor. It begins from the feed health that earlier terms published. */
export class MonitorTerm {
  readonly #options: TermOptions;
  readonly #term: LeadershipTerm;
  readonly #clock = new SteadyClock();
  readonly #messages: Decoder<Parameters<HealthMonitor['receive']>[0]>;
  readonly #reports: Decoder<Parameters<HealthMonitor['report']>[0]>;
  readonly #health: Decoder<FeedHealth>;
  #deletions: readonly PublishedHealth[] = [];
  readonly #topics: Readonly<Record<'messages' | 'positions' | 'reports' | 'health', string>>;

  constructor(options: TermOptions, term: LeadershipTerm) {
    const { registry, prefix } = options;
    this.#options = options;
    this.#term = term;
    this.#messages = registry.decoder('normalized-messages');
    this.#reports = registry.decoder('ingress-status');
    this.#health = registry.decoder('feed-health');
    this.#topics = {
      messages: topicName(prefix, 'normalized-messages'),
      positions: positionsTopicName(prefix, PROCESSOR),
      reports: topicName(prefix, 'ingress-status'),
      health: topicName(prefix, 'feed-health'),
    };
  }

  /** Publishes until the term ends. Rejects with `StreamError`, `PublishError`, `ClockStepError`, `TermSupersededError`. */
  async run(): Promise<void> {
    const { brokers, log } = this.#options;
    const { monitor, number, from, since } = await this.#restore();
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#term.signal, failed.signal]);
    const caughtUp = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });
    const behind = new Set(from.keys());
    const reading = followLogs({
      brokers,
      reader: `touchline-${SERVICE}`,
      topics: Object.values(this.#topics),
      from,
      idleMs: () => Math.min(MAX_FETCH_MS, Math.max(FETCH_MS, monitor.due - this.#clock.now())),
      paceMs: () => FETCH_MS,
      signal,
      onBatch: async (batch) => {
        for (const fetched of batch) await this.#read(monitor, number, fetched);
      },
      onUpToDate: (of, at) => {
        const time = Math.floor(this.#clock.now() - (performance.now() - at));
        if (of.topic === this.#topics.messages) monitor.messagesRead(of.partition, time);
        if (of.topic === this.#topics.reports) monitor.reportsRead(time);
        behind.delete(partitionKey(of));
        if (behind.size === 0) caughtUp.resolve();
      },
    }).finally(() => failed.abort());
    const judging = caughtUp.promise.then(() => {
      if (!signal.aborted) log.info({ term: number, since, matches: monitor.liveMatches }, 'judging');
      return this.#judge(monitor, signal);
    });
    // When one of the two fails, it ends the other one.
    await Promise.all([reading, judging.finally(() => failed.abort())]);
  }

  /** Returns a monitor restored from the published records, and the offset from which to read each partition. */
  async #restore() {
    const { brokers, prefix, limits } = this.#options;
    const { messages, reports, positions, health } = this.#topics;
    const begun = this.#clock.now();
    const startsAt = (topic: string, time: number) => offsetsAt({ brokers, topic, time });
    const healthFrom = await startsAt(health, begun);
    const published = await readLatest('feed-health', this.#options, this.#term.signal);
    const now = this.#clock.now();
    const written = [...published.values()].map(({ written_at }) => Math.min(written_at, now));
    const window = Math.max(limits.staleAfterMs, limits.keepAliveAfterMs) + limits.staleAfterMs;
    const since = written.length === 0 ? now - FIRST_READ_MS : Math.max(...written) - window;
    const messagesFrom = await startsAt(messages, since);
    const positionsFrom = await startsAt(positions, begun - OPEN_TRANSACTION_MS);
    const reportsFrom = await startsAt(reports, since);
    const applied = await readPositions({ brokers, application: applicationOf(prefix, PROCESSOR) });
    const partitions = messagesFrom.size;
    const number = 1 + Math.max(0, ...published.values().map(({ term }) => term));
    const monitor = new HealthMonitor({
      ...limits,
      term: number,
      partitionOf: (eventId) => partitionOfKey(eventId, partitions),
    });
    for (let partition = 0; partition < partitions; partition += 1) {
      const readFrom = messagesFrom.get(partitionKey({ topic: messages, partition })) ?? 0;
      monitor.begin(partition, { applied: applied.get(partition) ?? 0, readFrom, at: since });
    }
    for (const record of published.values()) monitor.restore(record, now);
    const from = new Map([...healthFrom, ...messagesFrom, ...positionsFrom, ...reportsFrom]);
    return { monitor, number, from, since };
  }

  async #read(
    monitor: HealthMonitor,
    number: number,
    { topic, partition, records }: FetchedPartition,
  ): Promise<void> {
    if (topic === this.#topics.positions) {
      const value = records.findLast((record) => record.value !== null)?.value;
      if (value != null) monitor.applied(partition, parsePosition(topic, partition, value).next);
      return;
    }
    const { health, reports } = this.#topics;
    const decoder = { [health]: this.#health, [reports]: this.#reports }[topic] ?? this.#messages;
    await decoder.prepare(records);
    for (const { key, value, offset } of records) {
      if (value === null) continue;
      try {
        if (topic === health) {
          const { term } = this.#health.decode(value);
          if (term > number) throw new TermSupersededError(number, term);
          if (term < number) monitor.rewrite(String(key));
        } else if (topic === reports) monitor.report(this.#reports.decode(value), this.#clock.now());
        else monitor.receive(this.#messages.decode(value), { partition, offset }, this.#clock.now());
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof DomainError)) throw error;
        reportUnreadable({ topic, partition, offset, error });
      }
    }
  }

  /** Evaluates all sources and matches periodically, and publishes the changes. */
  async #judge(monitor: HealthMonitor, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const published = [...this.#deletions, ...monitor.tick(this.#clock.now())];
      const pauseMs = Math.min(
        MAX_TICK_MS,
        Math.max(TICK_MS, PAUSE_FACTOR * (performance.now() - startedAt)),
      );
      if (published.length > 0) await this.#publish(monitor, published);
      await sleep(pauseMs, signal);
    }
  }

  async #publish(monitor: HealthMonitor, published: readonly PublishedHealth[]): Promise<void> {
    const { codec, publisher, metrics, log } = this.#options;
    const topic = this.#topics.health;
    const stopTimer = metrics.publishSeconds.startTimer();
    const records = published.map(({ key, value }) => ({ topic, key, value: value && codec.encode(value) }));
    try {
      await publisher.publish(records);
    } catch (error) {
      if (!(error instanceof PublishError && error.code === 'TIMEOUT')) throw error;
      log.debug({ err: error }, 'not published in time, evaluates again');
      this.#deletions = published.filter(({ value }) => value === null);
      for (const { key } of published) monitor.rewrite(key);
      return;
    }
    this.#deletions = [];
    stopTimer();
    for (const { key, value } of published) metrics.published(key, value);
  }
}

/** Difference between the machine's clock and the steady one above which the machine's clock was set. */
const STEP_MS = 1_000;
/** Share of the difference that each reading corrects, so that a slewed clock is followed. */
const CORRECTION = 0.1;

/** Thrown when the machine's clock was set to another time. */
export class ClockStepError extends defineError('ClockStepError', (byMs: number) => [
  'CLOCK_STEP',
  `the clock of this machine was set by ${Math.round(byMs)} ms`,
]) {}

type ClockSource = Pick<MachineClock, 'monotonic' | 'unix'>;

/** A clock of Unix time that never goes back: it advances with the monotonic clock and follows the machine's clock slowly. */
export class SteadyClock {
  readonly #source: ClockSource;
  #offset: number;
  #last: number;

  constructor(source: ClockSource = machineClock) {
    this.#source = source;
    this.#last = source.unix();
    this.#offset = this.#last - source.monotonic();
  }

  /** Returns the time, Unix milliseconds. Throws `ClockStepError` when the machine's clock was set. */
  now(): number {
    const monotonic = this.#source.monotonic();
    const ahead = this.#source.unix() - (monotonic + this.#offset);
    if (Math.abs(ahead) > STEP_MS) throw new ClockStepError(ahead);
    this.#offset += ahead * CORRECTION;
    this.#last = Math.max(this.#last, Math.floor(monotonic + this.#offset));
    return this.#last;
  }
}
