import { setTimeout as delay } from 'node:timers/promises';
import { offsetsAt, readPositions } from '#cluster/logs.ts';
import { DomainError } from '#domain/event-register.ts';
import { HealthMonitor } from '#domain/health/monitor.ts';
import type { PublishedHealth } from '#domain/health/records.ts';
import type { HealthLimits } from '#domain/health/verdict.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Term } from '#service/leadership.ts';
import { partitionHash, partitionKey } from '#streams/client/port.ts';
import { PublishError } from '#streams/errors.ts';
import type { Logger } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import { type FollowedBatch, follow } from '#streams/read/follow.ts';
import { parsePosition } from '#streams/runtime/positions.ts';
import type { Codec, Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { applicationOf, positionsTopicName } from '#topics/processors.ts';
import { readLatest } from '#topics/read-values.ts';
import type { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { SERVICE } from './config.ts';
import type { MonitorMetrics } from './metrics.ts';
import { SteadyClock } from './steady-clock.ts';

/** Another monitor publishes in a later term. */
class TermSupersededError extends TouchlineError<'TermSupersededError'> {
  override readonly name = 'TermSupersededError';

  constructor(own: number, later: number) {
    super(
      'TERM_SUPERSEDED',
      `this monitor judges in term ${own}, and another one publishes in term ${later}`,
    );
  }
}

export type TermOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
  readonly codec: Codec<FeedHealth>;
  /** Has a short timeout: records that wait for a broker are judged again meanwhile. */
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly limits: HealthLimits;
  readonly metrics: MonitorMetrics;
  readonly log: Logger;
};

/** How often everything is judged, milliseconds. */
const TICK_MS = 100;
/** A match is stale within a second of being due: by then all that was written has to be read. */
const IDLE_MS = 100;
/** Of many matches less often, so that judging takes a tenth of a core; but within the second in which silence is noticed. */
const TICK_REST = 9;
const TICK_CEILING_MS = 400;
/** No transaction lasts longer: a position that is committed during the search was written within this time. */
const OPEN_TRANSACTION_MS = 60_000;
/** How much of the messages is read where there is no feed-health yet, milliseconds. */
const FIRST_LOOK_MS = 180 * 60_000;
/** The processor whose delay is our own. */
const JUDGED = 'match-processor';

/** A term of the monitor: it judges from what the term before published. */
export class MonitorTerm {
  readonly #options: TermOptions;
  readonly #term: Term;
  readonly #clock = new SteadyClock();
  readonly #messages: Decoder<Parameters<HealthMonitor['hear']>[0]>;
  readonly #reports: Decoder<Parameters<HealthMonitor['report']>[0]>;
  readonly #health: Decoder<FeedHealth>;
  /** Deletions that are still to be published. */
  #deletions: readonly PublishedHealth[] = [];
  readonly #topics: { messages: string; positions: string; reports: string; health: string };

  constructor(options: TermOptions, term: Term) {
    const { registry, prefix } = options;
    this.#options = options;
    this.#term = term;
    this.#messages = registry.decoder('normalized-messages');
    this.#reports = registry.decoder('ingress-status');
    this.#health = registry.decoder('feed-health');
    this.#topics = {
      messages: topicName(prefix, 'normalized-messages'),
      positions: positionsTopicName(prefix, JUDGED),
      reports: topicName(prefix, 'ingress-status'),
      health: topicName(prefix, 'feed-health'),
    };
  }

  /**
   * Judges until the term is over. Rejects with `StreamError`, `PublishError`, `ClockStepError`, `TermSupersededError`: the next term
   * begins from the topic.
   */
  async run(): Promise<void> {
    const { brokers, log } = this.#options;
    const { monitor, number, from, since } = await this.#begin();
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#term.signal, failed.signal]);
    const caughtUp = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });
    const behind = new Set(from.keys());
    const reading = follow({
      brokers,
      reader: `touchline-${SERVICE}`,
      topics: Object.values(this.#topics),
      from,
      idleMs: IDLE_MS,
      signal,
      onBatch: (batch) => this.#read(monitor, number, batch),
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
    // Whichever fails ends the other one.
    await Promise.all([reading, judging.finally(() => failed.abort())]);
  }

  /** A monitor restored from the published records, and the offset to read each partition from. */
  async #begin() {
    const { brokers, prefix, registry, limits, log } = this.#options;
    const { messages, reports, positions, health } = this.#topics;
    const begun = this.#clock.now();
    const startsAt = (topic: string, time: number) => offsetsAt({ brokers, topic, time });
    const own = await startsAt(health, begun);
    const kept = await readLatest('feed-health', { brokers, prefix, registry }, this.#term.signal);
    const now = this.#clock.now();
    const written = [...kept.values()].map(({ written_at }) => Math.min(written_at, now));
    const window = Math.max(limits.staleAfterMs, limits.keepAliveAfterMs) + limits.staleAfterMs;
    const since = written.length === 0 ? now - FIRST_LOOK_MS : Math.max(...written) - window;
    const heard = await startsAt(messages, since);
    const committed = await startsAt(positions, begun - OPEN_TRANSACTION_MS);
    const reported = await startsAt(reports, since);
    const applied = await readPositions({ brokers, application: applicationOf(prefix, JUDGED), log });
    const partitions = heard.size;
    const number = 1 + Math.max(0, ...kept.values().map(({ term }) => term));
    const monitor = new HealthMonitor({
      ...limits,
      term: number,
      partitionOf: (eventId) => partitionHash(Buffer.from(String(eventId))) % partitions,
    });
    for (let partition = 0; partition < partitions; partition += 1) {
      const readFrom = heard.get(partitionKey({ topic: messages, partition })) ?? 0;
      monitor.begin(partition, { applied: applied.get(partition) ?? 0, readFrom, at: since });
    }
    for (const record of kept.values()) monitor.restore(record, now);
    return { monitor, number, from: new Map([...own, ...heard, ...committed, ...reported]), since };
  }

  async #read(
    monitor: HealthMonitor,
    number: number,
    { topic, partition, records }: FollowedBatch,
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
        if (topic === health) this.#readHealth(monitor, number, String(key), value);
        else if (topic === reports) monitor.report(this.#reports.decode(value), this.#clock.now());
        else monitor.hear(this.#messages.decode(value), { partition, offset }, this.#clock.now());
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof DomainError)) throw error;
        this.#options.metrics.undecodable.inc();
        this.#options.log.debug({ err: error, topic, partition, offset }, 'unreadable');
      }
    }
  }

  /** Another monitor's record: of a later term it ends this one, of an earlier term it is written again. */
  #readHealth(monitor: HealthMonitor, number: number, key: string, value: Buffer): void {
    const { term } = this.#health.decode(value);
    if (term > number) throw new TermSupersededError(number, term);
    if (term < number) monitor.rewrite(key);
  }

  /** Publishes what each look says, one at a time. */
  async #judge(monitor: HealthMonitor, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const published = [...this.#deletions, ...monitor.tick(this.#clock.now())];
      const pauseMs = Math.min(
        TICK_CEILING_MS,
        Math.max(TICK_MS, TICK_REST * (performance.now() - startedAt)),
      );
      if (published.length > 0) await this.#publish(monitor, published);
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #publish(monitor: HealthMonitor, published: readonly PublishedHealth[]): Promise<void> {
    const { codec, publisher, metrics, log } = this.#options;
    const topic = this.#topics.health;
    const ended = metrics.publishSeconds.startTimer();
    try {
      await publisher.publish(
        published.map(({ key, value }) => ({
          topic,
          key,
          value: value === null ? null : codec.encode(value),
        })),
      );
    } catch (error) {
      if (!(error instanceof PublishError && error.code === 'TIMEOUT')) throw error;
      log.debug({ err: error }, 'not published, it is judged again');
      this.#deletions = published.filter(({ value }) => value === null);
      for (const { key } of published) monitor.rewrite(key);
      return;
    }
    this.#deletions = [];
    ended();
    for (const { key, value } of published) metrics.published(key, value);
  }
}
