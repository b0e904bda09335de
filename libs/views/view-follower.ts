/** Follows the topics that the views of a service are built from, and applies their records. */
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { z } from 'zod';
import { offsetsAt, topicBounds, topicIds } from '#cluster/logs.ts';
import { FolderError } from '#security/folders.ts';
import type { dataSettings, kafkaSettings } from '#service/config.ts';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import { partitionKey } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { wentBackText } from '#topics/errors.ts';
import { follow, type TopicBatch, type TopicRecord } from '#topics/follow.ts';
import type { ProcessorName } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { reportUnreadable } from '#topics/unreadable.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { Tracer } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { viewMetrics } from './metrics.ts';
import { VIEW_TOPICS, type ViewTopic } from './records.ts';
import { applyRecords } from './render/apply.ts';
import { EventMovedInError } from './store/coverage.ts';
import { bootId, isBroken, isUnwritable, removeViews, ViewsLostError } from './store/database.ts';
import { servedOf, type viewSettings } from './store/served.ts';
import { COMMIT_MS, type LostState, Views } from './store/views.ts';

/** Views that were unused for longer are rebuilt: brokers delete tombstones after a day. */
const MAX_AGE_MS = 12 * 3_600_000;
const SWEEP_MS = 10_000;
/** Pause between two parts of a sweep, in which requests are served. */
const SWEEP_PAUSE_MS = 20;

/** Errors after which the views lack records, so that the next start rebuilds them. */
const INCOMPLETE_VIEWS = [PositionLostError, EventMovedInError, ViewsLostError];

/**
 * Topics that no reader waits for. A message changes several partitions of the others within a few milliseconds: a fetch over all
 * partitions finds what arrived since the last one, and its records form one batch.
 */
const LATER: ReadonlySet<ViewTopic> = new Set(['normalized-messages', 'standings', 'provider-standings']);
/** Interval between requests for the feed and for tables, milliseconds. */
const PACE_MS = 50;

/** The topics that say in which competition an event is, and with which names it is rendered. */
const TREE_TOPICS: ReadonlySet<ViewTopic> = new Set(['catalogue', 'match-state']);

/** Number of records of a fetch after which what waits for the event loop, such as a request, has its turn. */
const LARGE_BATCH = 100;

/** What becomes of a match or table whose version went back, and the processor that derives it again. */
const LOST = {
  'match-state': ['the guard of each such match is closed', 'match-processor'],
  standings: ['each such table stays as it was', 'standings-processor'],
} as const satisfies Record<LostState['topic'], readonly [string, ProcessorName]>;

type Settings = z.output<z.ZodObject<typeof dataSettings & typeof kafkaSettings & typeof viewSettings>>;

/** Of the service: `fail` is called with an error after which the process must stop. */
type ViewContext = Pick<ServiceContext<Settings>, 'config' | 'logger' | 'signal' | 'fail'>;

type ViewFollowerOptions = {
  /** Name of the service; its views are in the folder of that name in DATA_DIR. */
  readonly name: string;
  /** Default: all of `VIEW_TOPICS`. */
  readonly topics?: readonly ViewTopic[];
  readonly metrics: ReturnType<typeof viewMetrics>;
  /** Retention of the feed's messages, milliseconds. */
  readonly feedRetentionMs: number;
  /** Minimum interval between two requests for the topics that readers wait for, milliseconds. */
  readonly urgentPaceMs: number;
};

/** `partitions`: of match-state. */
type OpenedOptions = Required<ViewFollowerOptions> & { readonly folder: string; readonly partitions: number };

/** Follows the topics, and applies their records to the views of a service. */
export class ViewFollower {
  readonly views: Views;
  readonly #context: ViewContext;
  readonly #options: OpenedOptions;
  readonly #stopping = new AbortController();
  /** Partitions that lost states, as the log says. */
  readonly #lostStates = new Set<string>();
  #caughtUp = false;
  #following: Promise<void> = Promise.resolve();
  #nextSweep: NodeJS.Timeout | undefined;
  #nextCommit: NodeJS.Timeout | undefined;

  private constructor(context: ViewContext, options: OpenedOptions, views: Views) {
    this.#context = context;
    this.#options = options;
    this.views = views;
  }

  /** Opens the existing views of the folder, or creates empty ones. Throws `ViewsInUseError`, `StreamError`. */
  static async open(context: ViewContext, options: ViewFollowerOptions): Promise<ViewFollower> {
    const { config, logger } = context;
    const { name, topics = VIEW_TOPICS } = options;
    const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
    const folder = join(config.DATA_DIR, name);
    const names = topics.map((topic) => topicName(prefix, topic));
    const ids = Object.fromEntries(await topicIds(brokers, names));
    const states = [topicName(prefix, 'match-state')];
    const { length: partitions } = await topicBounds({ brokers, clientId: `touchline-${name}` }, states);
    const competitions = servedOf(config.SERVE_COMPETITIONS);
    const served = competitions === null ? 'all' : [...competitions].sort((a, b) => a - b).join(',');
    const { views, fresh } = Views.open({
      folder,
      source: { ...ids, competitions: served },
      competitions,
      maxAgeMs: MAX_AGE_MS,
      boot: bootId(),
      now: Date.now(),
    });
    if (competitions !== null) logger.info({ competitions: served }, 'serves some competitions only');
    if (fresh !== null) logger.info({ why: fresh }, 'rebuilds the views');
    return new ViewFollower(context, { ...options, topics, folder, partitions }, views);
  }

  /** Whether all records that existed at the start are applied, and the views are intact. */
  get ready(): boolean {
    return this.#caughtUp;
  }

  /** Starts to follow the topics for services that listen. Returns them as one, which closes the views when they have stopped. */
  serve(services: readonly RunningService[]): RunningService {
    const { topics, feedRetentionMs } = this.#options;
    const signal = AbortSignal.any([this.#context.signal, this.#stopping.signal]);
    this.#following = this.#read(signal).catch((error: unknown) => this.#fail(error));
    const sweep = (): void => {
      // A wall clock that is ahead for a moment must not delete what readers may still ask for.
      const now = Math.min(Date.now(), performance.timeOrigin + performance.now());
      const more = this.#guarded(() => this.views.feed.sweep(now - feedRetentionMs));
      this.#nextSweep = setTimeout(sweep, more ? SWEEP_PAUSE_MS : SWEEP_MS);
    };
    if (topics.includes('normalized-messages')) sweep();
    return {
      ready: () => services.every((service) => service.ready()),
      stop: () => this.#close(Promise.all(services.map((service) => service.stop()))),
    };
  }

  /**
   * Applies all existing and new records until `signal` is aborted. If only some competitions are served, reads first in which one each
   * event is: events outside are then never written. Rejects as `follow` does, with `PositionLostError` when records expired before they
   * were read, or with the error of `applyRecords`.
   */
  async #read(signal: AbortSignal): Promise<void> {
    const { topics } = this.#options;
    const startedAt = performance.now();
    if (this.views.coverage.competitions !== null) {
      const first = topics.filter((topic) => TREE_TOPICS.has(topic));
      const treeRead = new AbortController();
      await this.#follow(first, AbortSignal.any([signal, treeRead.signal]), () => treeRead.abort());
    }
    if (signal.aborted) return;
    await this.#follow(topics, signal, () => {
      this.views.caughtUp(this.#options.partitions);
      this.#caughtUp = true;
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      this.#context.logger.info({ seconds }, 'caught up');
    });
  }

  /** Follows topics until `stopped`, urgent ones apart from the others. */
  async #follow(topics: readonly ViewTopic[], stopped: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const { views } = this;
    const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, SCHEMA_REGISTRY_URL: url } = this.#context.config;
    const lanes = [
      { topics: topics.filter((topic) => !LATER.has(topic)), paceMs: this.#options.urgentPaceMs },
      { topics: topics.filter((topic) => LATER.has(topic)), paceMs: PACE_MS },
    ].filter((lane) => lane.topics.length > 0);
    const states = topicName(prefix, 'match-state');
    const halts = topicName(prefix, 'trading-halts');
    const over = new AbortController();
    const connection = { brokers, prefix, registry: new Registry({ url, prefix }) };
    const common = {
      reader: `touchline-${this.#options.name}`,
      from: await this.#positions(topics),
      epochs: views.positions('epoch'),
      signal: AbortSignal.any([stopped, over.signal]),
    };
    let behind = lanes.length;
    const reading = lanes.map((lane) =>
      follow(lane.topics, connection, {
        ...common,
        paceMs: () => lane.paceMs,
        onBatch: async (batch) => {
          this.#apply(batch);
          if (batch.records.length >= LARGE_BATCH) await turn();
        },
        // The views would keep what an expired record replaced.
        onExpired(records) {
          const { from: first, next } = records;
          throw new PositionLostError(
            `${partitionKey(records)} lost the records from ${first} to ${next - 1} before they were read`,
          );
        },
        ...(lane.topics.includes('match-state') && {
          onUpToDate({ topic, partition }, at) {
            if (topic === states) views.freshness.readToEnd(partition, at);
            if (topic === halts) views.halts.table.readTo(at);
          },
        }),
        onUnreadable(record) {
          if (record.topic === halts) views.halts.table.doubt(record.key ?? '', record.offset);
          reportUnreadable(record);
        },
        onCaughtUp() {
          behind -= 1;
          if (behind === 0) onCaughtUp();
        },
      }).finally(() => over.abort()),
    );
    // A lane that fails ends the other one: nothing is applied after this function returns.
    for (const read of await Promise.allSettled(reading)) if (read.status === 'rejected') throw read.reason;
  }

  /** Returns the positions to read from. The feed starts at its oldest message within retention; halts, which are not stored, at the first. */
  async #positions(topics: readonly ViewTopic[]): Promise<Map<string, number>> {
    const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = this.#context.config;
    const halts = `${topicName(prefix, 'trading-halts')}-`;
    const offsets = new Map([...this.views.positions('next')].filter(([key]) => !key.startsWith(halts)));
    const topic = topicName(prefix, 'normalized-messages');
    const isKnown = offsets.keys().some((key) => key.startsWith(`${topic}-`));
    if (isKnown || !topics.includes('normalized-messages')) return offsets;
    const recent = await offsetsAt({ brokers, topic, time: Date.now() - this.#options.feedRetentionMs });
    return new Map([...recent, ...offsets]);
  }

  /** Applies a batch, each partition's records in order, and stores the positions after them. */
  #apply({ records, partitions }: TopicBatch<ViewTopic>): void {
    const { views } = this;
    const { metrics } = this.#options;
    const { config, logger: log } = this.#context;
    const prefix = config.TOPIC_PREFIX;
    const started = performance.now();
    const at = Date.now();
    const next = partitions.map((of) => ({ key: partitionKey(of), next: of.next, epoch: of.epoch }));
    this.#reportLost(applyRecords(views, records, next, at));
    this.#nextCommit ??= setTimeout(() => {
      this.#nextCommit = undefined;
      this.#guarded(() => views.commit());
    }, COMMIT_MS);
    // The latency of records from before the start would measure the start.
    if (this.#caughtUp) metrics.applied(records, Date.now());
    metrics.applySeconds.observe((performance.now() - started) / 1000);
    const tracing = tracer();
    for (const record of records) {
      if (tracing !== null) traceApplied(tracing, record, prefix, at);
      if (logsMessages(log)) log.debug(identify(record, prefix), 'record applied to the views');
      metrics.seen(record.timestamp);
    }
    for (const [topic, of] of Map.groupBy(records, (record) => record.topic))
      metrics.records.inc({ topic }, of.length);
    for (const { name: topic, partition, end, next } of partitions)
      metrics.lag.set({ topic, partition: String(partition) }, Math.max(0, end - next));
  }

  /** Logs that states of a partition were lost: once, however many matches or tables lost theirs. */
  #reportLost(lost: readonly LostState[]): void {
    const { config, logger } = this.#context;
    for (const { topic: name, partition, known, record } of lost) {
      const topic = topicName(config.TOPIC_PREFIX, name);
      const of = partitionKey({ topic, partition });
      if (this.#lostStates.has(of)) continue;
      this.#lostStates.add(of);
      const [until, processor] = LOST[name];
      logger.error(
        { code: 'VERSION_WENT_BACK', topic, partition, version: record.version, known },
        `${wentBackText(name, known, record)}; ${until} until it has that version again; ` +
          `derive all with ${rebuildCommand(processor)}`,
      );
    }
  }

  /** Returns the result of `run`; an error, such as that of a full disk, stops the service. */
  #guarded<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    this.#context.fail(
      isUnwritable(error) ? new FolderError('DATA_DIR', this.#options.folder, error) : error,
    );
  }

  /** Call with the error of a failed request: if the views are damaged, calls `fail`. */
  onFailure(error: unknown): void {
    if (!isBroken(error)) return;
    // The next query of damaged views may succeed with wrong rows.
    this.#caughtUp = false;
    this.#context.fail(error);
  }

  /** Stops following, then closes the views when `requestsDone` resolves. Deletes damaged or incomplete views. */
  async #close(requestsDone: Promise<unknown>): Promise<void> {
    const { logger, signal } = this.#context;
    clearTimeout(this.#nextSweep);
    clearTimeout(this.#nextCommit);
    this.#stopping.abort();
    await Promise.all([requestsDone, this.#following]);
    try {
      this.views.close();
    } catch (err) {
      logger.warn({ err }, 'the last changes of the views were not stored: the next start reads them again');
    }
    const isIncomplete = INCOMPLETE_VIEWS.some((kind) => signal.reason instanceof kind);
    if (!isBroken(signal.reason) && !isIncomplete) return;
    removeViews(this.#options.folder);
    logger.warn('the next start rebuilds the views');
  }
}

/** Records that were written longer ago get no span: a rebuild reads records whose traces have ended. */
const TRACED_MS = 3_600_000;

/** Starts and ends a span for a record that belongs to a trace. */
function traceApplied(
  tracing: Tracer,
  record: TopicRecord<ViewTopic>,
  prefix: string,
  startedAt: number,
): void {
  const { timestamp, traceparent: parent } = record;
  if (parent === undefined || timestamp < startedAt - TRACED_MS) return;
  const fields = identify(record, prefix);
  const attributes = spanAttributes(fields);
  tracing.start(`apply ${fields.topic}`, { kind: 'consumer', parent, startedAt, attributes })?.end();
}

function identify({ topic, partition, offset, value }: TopicRecord<ViewTopic>, prefix: string) {
  const message: MessageFields =
    value === null
      ? {}
      : {
          ...('message_id' in value ? { message_id: value.message_id } : {}),
          ...('cause' in value ? { message_id: value.cause?.message_id ?? null } : {}),
          ...('event_id' in value && value.event_id !== null ? { event_id: value.event_id } : {}),
        };
  return { ...message, topic: topicName(prefix, topic), partition, offset };
}
