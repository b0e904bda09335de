/** Reads the topics that the views are built from, and applies their records. */

import { setImmediate as turn } from 'node:timers/promises';
import { offsetsAt } from '#cluster/logs.ts';
import type { Logger } from '#service/logger.ts';
import { partitionKey } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { wentBackText } from '#topics/errors.ts';
import { follow, type OpenTopics, type TopicBatch, type TopicRecord } from '#topics/follow.ts';
import type { ProcessorName } from '#topics/processors.ts';
import { topicName } from '#topics/topics.ts';
import { reportUnreadable } from '#topics/unreadable.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { Tracer } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ViewMetrics } from './metrics.ts';
import type { ViewTopic } from './records.ts';
import { applyRecords } from './render/apply.ts';
import type { ServedCompetitions } from './store/served.ts';
import type { LostState, Views } from './store/views.ts';

export type IngestOptions = OpenTopics & {
  readonly views: Views;
  readonly topics: readonly ViewTopic[];
  /** Ids of the competitions that are served; null means all. */
  readonly competitions: ServedCompetitions;
  /** Retention of the feed's messages, milliseconds. */
  readonly feedRetentionMs: number;
  /** Minimum interval between two requests for the topics that readers wait for, milliseconds. */
  readonly urgentPaceMs: number;
  readonly metrics: ViewMetrics;
  readonly log: Logger;
  readonly reader: string;
  readonly signal: AbortSignal;
  /** Called after each batch that was applied. */
  readonly onApplied: () => void;
  /** Called once all records that existed at the start are applied. */
  readonly onCaughtUp: () => void;
};

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

/** Applies the records of topics to the views. */
export class Ingest {
  readonly #options: IngestOptions;
  /** Partitions that lost states, as the log says. */
  readonly #lostStates = new Set<string>();
  #caughtUp = false;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Applies all existing and new records until `signal` is aborted. If only some competitions are served, reads first in which one each
   * event is: events outside are then never written. Rejects as `follow` does, with `PositionLostError` when records expired before they
   * were read, or with the error of `applyRecords`.
   */
  async run(): Promise<void> {
    const { topics, competitions, signal, onCaughtUp } = this.#options;
    if (competitions !== null) {
      const first = topics.filter((topic) => TREE_TOPICS.has(topic));
      const treeRead = new AbortController();
      await this.#follow(first, AbortSignal.any([signal, treeRead.signal]), () => treeRead.abort());
    }
    if (signal.aborted) return;
    await this.#follow(topics, signal, () => {
      this.#caughtUp = true;
      onCaughtUp();
    });
  }

  /** Follows topics until `stopped`, urgent ones apart from the others. */
  async #follow(topics: readonly ViewTopic[], stopped: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const { prefix, reader, views, urgentPaceMs } = this.#options;
    const lanes = [
      { topics: topics.filter((topic) => !LATER.has(topic)), paceMs: urgentPaceMs },
      { topics: topics.filter((topic) => LATER.has(topic)), paceMs: PACE_MS },
    ].filter((lane) => lane.topics.length > 0);
    const states = topicName(prefix, 'match-state');
    const halts = topicName(prefix, 'trading-halts');
    const over = new AbortController();
    const signal = AbortSignal.any([stopped, over.signal]);
    const from = await positions(topics, this.#options);
    const epochs = views.epochs();
    let behind = lanes.length;
    const reading = lanes.map((lane) =>
      follow(lane.topics, this.#options, {
        reader,
        paceMs: () => lane.paceMs,
        from,
        epochs,
        signal,
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

  /** Applies a batch, each partition's records in order, and stores the positions after them. */
  #apply({ records, partitions }: TopicBatch<ViewTopic>): void {
    const { views, metrics, log, prefix, onApplied } = this.#options;
    const started = performance.now();
    const at = Date.now();
    const next = partitions.map((of) => ({ key: partitionKey(of), next: of.next, epoch: of.epoch }));
    this.#reportLost(applyRecords(views, records, next, at));
    onApplied();
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
    const { log, prefix } = this.#options;
    for (const { topic: name, partition, known, record } of lost) {
      const topic = topicName(prefix, name);
      const of = partitionKey({ topic, partition });
      if (this.#lostStates.has(of)) continue;
      this.#lostStates.add(of);
      const [until, processor] = LOST[name];
      log.error(
        { code: 'VERSION_WENT_BACK', topic, partition, version: record.version, known },
        `${wentBackText(name, known, record)}; ${until} until it has that version again; ` +
          `derive all with ${rebuildCommand(processor)}`,
      );
    }
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

/**
 * Returns the positions to read from. Messages that were never read start at the oldest one within `feedRetentionMs`; halts, which no
 * view stores, at the first one.
 */
async function positions(
  topics: readonly ViewTopic[],
  { brokers, prefix, views, feedRetentionMs }: IngestOptions,
): Promise<Map<string, number>> {
  const halts = `${topicName(prefix, 'trading-halts')}-`;
  const offsets = new Map([...views.offsets()].filter(([key]) => !key.startsWith(halts)));
  const topic = topicName(prefix, 'normalized-messages');
  if (!topics.includes('normalized-messages')) return offsets;
  if ([...offsets.keys()].some((key) => key.startsWith(`${topic}-`))) return offsets;
  const recent = await offsetsAt({ brokers, topic, time: Date.now() - feedRetentionMs });
  return new Map([...recent, ...offsets]);
}
