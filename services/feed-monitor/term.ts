import { setTimeout as delay } from 'node:timers/promises';
import { readLatest } from '#clients/read-latest.ts';
import { DomainError } from '#domain/errors.ts';
import { HealthMonitor } from '#domain/health/monitor.ts';
import type { HealthLimits } from '#domain/health/verdict.ts';
import { partitionKey } from '#streams/client/port.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import type { Term } from '#streams/leadership/leadership.ts';
import type { Logger } from '#streams/log.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import { type FollowedBatch, follow, offsetsAt, type ReadRecord } from '#streams/read/follow.ts';
import { parsePosition, readPositions } from '#streams/runtime/positions.ts';
import type { Codec, Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import type { FeedHealth } from '#topics/generated/types.ts';
import { applicationOf, positionsTopicName } from '#topics/processors.ts';
import type { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import type { MonitorMetrics } from './metrics.ts';
import { SERVICE } from './name.ts';
import { SteadyClock } from './steady-clock.ts';

/** What a term of the monitor works with. */
export type TermOptions = {
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly registry: Registry;
  readonly codec: Codec<FeedHealth>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly limits: HealthLimits;
  readonly firstLookMs: number;
  readonly metrics: MonitorMetrics;
  readonly log: Logger;
};

/** How often everything is judged, milliseconds. */
const TICK_MS = 100;
const JUDGED = 'match-processor';

/**
 * Judges from what the term before wrote until the term is over. Rejects with `StreamError`, `PublishError`, `ClockStepError`: it
 * begins again from the topic then.
 */
export async function runTerm(options: TermOptions, term: Term): Promise<void> {
  await new MonitorTerm(options, term).run();
}

class MonitorTerm {
  readonly #options: TermOptions;
  readonly #term: Term;
  readonly #clock = new SteadyClock();
  readonly #messages: Decoder<Parameters<HealthMonitor['hear']>[0]>;
  readonly #reports: Decoder<Parameters<HealthMonitor['report']>[0]>;
  readonly #topics: { messages: string; positions: string; reports: string; health: string };

  constructor(options: TermOptions, term: Term) {
    const { registry, prefix } = options;
    this.#options = options;
    this.#term = term;
    this.#messages = registry.decoder('normalized-messages');
    this.#reports = registry.decoder('ingress-status');
    this.#topics = {
      messages: topicName(prefix, 'normalized-messages'),
      positions: positionsTopicName(prefix, JUDGED),
      reports: topicName(prefix, 'ingress-status'),
      health: topicName(prefix, 'feed-health'),
    };
  }

  async run(): Promise<void> {
    const { brokers, log } = this.#options;
    const { messages, positions, reports } = this.#topics;
    const { monitor, from, since } = await this.#begin();
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#term.signal, failed.signal]);
    const caughtUp = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });
    const reading = follow({
      ...{ brokers, reader: `touchline-${SERVICE}`, topics: [messages, positions, reports], from, signal },
      onBatch: (batch) => this.#read(monitor, batch),
      onCaughtUp: () => caughtUp.resolve(),
    }).finally(() => failed.abort());
    const judging = caughtUp.promise.then(() => {
      if (!signal.aborted) log.info({ since, matches: monitor.liveMatches }, 'judging');
      return this.#judge(monitor, signal);
    });
    // Whichever fails ends the other one.
    await Promise.all([reading, judging.finally(() => failed.abort())]);
  }

  /** A monitor that knows what was published, and where to read on from. */
  async #begin() {
    const { brokers, prefix, registry, limits, firstLookMs, log } = this.#options;
    const { messages, reports } = this.#topics;
    const kept = await readLatest('feed-health', { brokers, prefix, registry }, this.#term.signal);
    const now = this.#clock.now();
    const written = [...kept.values()].map(({ written_at }) => Math.min(written_at, now));
    const window = Math.max(limits.staleAfterMs, limits.keepAliveAfterMs) + limits.staleAfterMs;
    const since = written.length === 0 ? now - firstLookMs : Math.max(...written) - window;
    const from = await offsetsAt({ brokers, topic: messages, time: since });
    const applied = await readPositions({ brokers, application: applicationOf(prefix, JUDGED), log });
    const partitions = from.size;
    const monitor = new HealthMonitor({
      ...limits,
      term: 1 + Math.max(0, ...[...kept.values()].map(({ term }) => term)),
      partitionOf: (eventId) => partitionHash(Buffer.from(String(eventId))) % partitions,
    });
    for (let partition = 0; partition < partitions; partition += 1) {
      const readFrom = from.get(partitionKey({ topic: messages, partition })) ?? 0;
      monitor.begin(partition, { applied: applied.get(partition) ?? 0, readFrom, at: since });
    }
    for (const record of kept.values()) monitor.restore(record, now);
    for (const [key, offset] of await offsetsAt({ brokers, topic: reports, time: since }))
      from.set(key, offset);
    return { monitor, from, since };
  }

  async #read(
    monitor: HealthMonitor,
    { topic, partition, records, next, end }: FollowedBatch,
  ): Promise<void> {
    if (topic === this.#topics.positions) {
      const value = records.findLast((record) => record.value !== null)?.value;
      if (value != null) monitor.applied(partition, parsePosition(topic, partition, value).next);
      return;
    }
    for (const record of records) {
      if (record.value === null) continue;
      try {
        const waits = this.#readRecord(monitor, topic, record.value, record);
        if (waits !== undefined) await waits;
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof DomainError)) throw error;
        this.#options.metrics.undecodable.inc();
        this.#options.log.debug({ err: error, topic, partition, offset: record.offset }, 'unreadable');
      }
    }
    if (topic === this.#topics.messages) monitor.unread(partition, next < end);
  }

  /** Synchronous but for the first record of a schema. */
  #readRecord(
    monitor: HealthMonitor,
    topic: string,
    value: Buffer,
    { partition, offset }: ReadRecord,
  ): void | Promise<void> {
    if (topic === this.#topics.reports) {
      return whenRead(this.#reports.decode(value), (status) => monitor.report(status, this.#clock.now()));
    }
    return whenRead(this.#messages.decode(value), (message) =>
      monitor.hear(message, { partition, offset }, this.#clock.now()),
    );
  }

  /** Publishes what each look says, one at a time: what waits for a broker is judged anew when it is back. */
  async #judge(monitor: HealthMonitor, signal: AbortSignal): Promise<void> {
    const { codec, publisher, metrics } = this.#options;
    const topic = this.#topics.health;
    while (!signal.aborted) {
      const published = monitor.tick(this.#clock.now());
      if (published.length > 0) {
        this.#term.permit();
        const ended = metrics.publishSeconds.startTimer();
        await publisher.publish(
          published.map(({ key, value }) => ({
            ...{ topic, key },
            value: value === null ? null : codec.encode(value),
          })),
        );
        ended();
        for (const { key, value } of published) metrics.published(key, value);
      }
      await delay(TICK_MS, undefined, { signal }).catch(() => {});
    }
  }
}

function whenRead<T>(decoded: T | Promise<T>, use: (value: T) => void): void | Promise<void> {
  return decoded instanceof Promise ? decoded.then(use) : use(decoded);
}
