/** Reads the topics that the views are built from. */

import { offsetsAt } from '#cluster/logs.ts';
import type { Logger } from '#service/logger.ts';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { BatchGatherer } from '#timing/batch-gatherer.ts';
import { followValues, type TopicSource, type ValueBatch } from '#topics/read-values.ts';
import { reportUnreadable, type UnreadableRecord } from '#topics/readable.ts';
import { topicName } from '#topics/topics.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { Tracer } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ViewMetrics } from '../metrics.ts';
import type { ReadPosition, SourceTopic, ViewRecord } from './records.ts';

export type SourceOptions = TopicSource & {
  /** Retention of the feed's messages, milliseconds. */
  readonly feedRetentionMs: number;
  readonly metrics: ViewMetrics;
  readonly log: Logger;
  /** Aborted when the process must stop. */
  readonly signal: AbortSignal;
  /** Client id that the brokers see. */
  readonly reader: string;
  /** The next offset to read, by `partitionKey`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Leader epochs of the last records that were read, by `partitionKey`. */
  readonly epochs: ReadonlyMap<string, number>;
  /** Applies records, each partition's in order, and stores the positions after them. Returns when both are done. */
  readonly apply: (records: readonly ViewRecord[], positions: readonly ReadPosition[]) => void;
  /** Minimum interval between two requests for the topics that readers wait for, milliseconds. */
  readonly urgentPaceMs: number;
  /** The topics to read. */
  readonly topics: readonly SourceTopic[];
  /** Called once all records that existed at the start are applied. */
  readonly onCaughtUp: () => void;
  /** Called at least twice a second for each partition of an urgent topic that was read to the end it had `at` (steady clock). */
  readonly onUpToDate: (topic: SourceTopic, partition: number, at: number) => void;
  /** Called with each record that nobody can read. */
  readonly onUnreadable: (topic: SourceTopic, record: UnreadableRecord) => void;
};

/**
 * Topics that readers wait for. A message changes several of their partitions within a few milliseconds: a fetch over all partitions
 * finds what arrived since the last one, and its records form one batch.
 */
const URGENT: ReadonlySet<SourceTopic> = new Set([
  // Its names are part of the rendered records of the other topics.
  'catalogue',
  'match-state',
  'match-incidents',
  'match-transitions',
  'feed-health',
  'trading-halts',
]);
/** Interval between requests for the feed and for tables, milliseconds. */
const PACE_MS = 50;

/** Records of one partition that were fetched together. */
type SourceBatch = ValueBatch<SourceTopic>;

/**
 * Applies all existing and new records until `signal` is aborted. Reads urgent topics apart from the others. Rejects as
 * `followValues` does, with `PositionLostError` when records expired before they were read, or with the error of `apply`.
 */
export async function followSources(options: SourceOptions): Promise<void> {
  const lanes = [
    { topics: options.topics.filter((topic) => URGENT.has(topic)), paceMs: options.urgentPaceMs },
    { topics: options.topics.filter((topic) => !URGENT.has(topic)), paceMs: PACE_MS },
  ].filter(({ topics }) => topics.length > 0);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const from = await positions(options);
  let behind = lanes.length;
  const onCaughtUp = (): void => {
    behind -= 1;
    if (behind === 0) options.onCaughtUp();
  };
  const reading = lanes.map(async (lane) => {
    try {
      await followLane({ ...options, ...lane, from, signal, onCaughtUp });
    } finally {
      over.abort();
    }
  });
  // A lane that fails ends the other one: nothing is applied after this function returns.
  for (const read of await Promise.allSettled(reading)) if (read.status === 'rejected') throw read.reason;
}

type LaneOptions = SourceOptions & { readonly from: ReadonlyMap<string, number>; readonly paceMs: number };

async function followLane(options: LaneOptions): Promise<void> {
  const { topics, prefix, from, paceMs } = options;
  const gatherer = new BatchGatherer<SourceBatch>({
    sizeOf: ({ values }) => values.length,
    apply: (batches) => applyBatches(batches, options),
  });
  const named = new Map(topics.map((topic) => [topicName(prefix, topic), topic]));
  const reading = followValues(topics, options, {
    reader: options.reader,
    paceMs: () => paceMs,
    from,
    epochs: options.epochs,
    signal: AbortSignal.any([options.signal, gatherer.failed]),
    onValues: (batch) => gatherer.add(batch),
    // The views would keep what an expired record replaced.
    onExpired(records) {
      const { from: first, next } = records;
      throw new PositionLostError(
        `${partitionKey(records)} lost the records from ${first} to ${next - 1} before they were read`,
      );
    },
    ...(topics.includes('match-state') && {
      onUpToDate({ topic, partition }: TopicPartition, at: number) {
        const name = named.get(topic);
        if (name !== undefined) options.onUpToDate(name, partition, at);
      },
    }),
    onUnreadable(record) {
      const name = named.get(record.topic);
      if (name !== undefined) options.onUnreadable(name, record);
      reportUnreadable(record);
    },
    onCaughtUp() {
      gatherer.flush();
      options.onCaughtUp();
    },
  });
  await reading.finally(() => gatherer.close());
  gatherer.failed.throwIfAborted();
}

function applyBatches(batches: readonly SourceBatch[], { apply, metrics, log }: SourceOptions): void {
  const started = performance.now();
  const at = Date.now();
  apply(
    batches.flatMap(viewRecordsOf),
    batches.map((batch) => ({ key: partitionKey(batch), next: batch.next, epoch: batch.epoch })),
  );
  metrics.applySeconds.observe((performance.now() - started) / 1000);
  const tracing = tracer();
  for (const batch of batches) {
    const { name: topic, partition, end, next, values } = batch;
    if (tracing !== null) traceApplied(tracing, batch, at);
    if (logsMessages(log))
      for (const applied of values)
        log.debug({ ...identify(applied), topic: batch.topic }, 'record applied to the views');
    metrics.records.inc({ topic }, values.length);
    metrics.lag.set({ topic, partition: String(partition) }, Math.max(0, end - next));
    metrics.seen(values.at(-1)?.record.timestamp ?? null);
  }
}

function viewRecordsOf({ name: topic, values }: SourceBatch): ViewRecord[] {
  return values.map(({ key, value, record: { partition, offset, timestamp } }) => {
    // The batch of a topic has the topic's type of value.
    return { topic, partition, offset, key, value, written: timestamp } as ViewRecord;
  });
}

/** Records that were written longer ago get no span: a rebuild reads records whose traces have ended. */
const TRACED_MS = 3_600_000;

/** Starts and ends a span for each record that belongs to a trace. */
function traceApplied(tracing: Tracer, { topic, values }: SourceBatch, startedAt: number): void {
  for (const applied of values) {
    const { timestamp, traceparent: parent } = applied.record;
    if (parent === undefined || timestamp < startedAt - TRACED_MS) continue;
    const attributes = spanAttributes({ ...identify(applied), topic });
    tracing.start(`apply ${topic}`, { kind: 'consumer', parent, startedAt, attributes })?.end();
  }
}

function identify({ value, record }: SourceBatch['values'][number]): MessageFields {
  const message: MessageFields =
    value === null
      ? {}
      : {
          ...('message_id' in value ? { message_id: value.message_id } : {}),
          ...('cause' in value ? { message_id: value.cause?.message_id ?? null } : {}),
          ...('event_id' in value && value.event_id !== null ? { event_id: value.event_id } : {}),
        };
  return { ...message, partition: record.partition, offset: record.offset };
}

/**
 * Returns the positions to read from. Messages that were never read start at the oldest one within `feedRetentionMs`; halts, which no
 * view stores, at the first one.
 */
async function positions(options: SourceOptions): Promise<Map<string, number>> {
  const { brokers, prefix, topics, feedRetentionMs } = options;
  const halts = `${topicName(prefix, 'trading-halts')}-`;
  const offsets = new Map([...options.offsets].filter(([key]) => !key.startsWith(halts)));
  const topic = topicName(prefix, 'normalized-messages');
  if (!topics.includes('normalized-messages')) return offsets;
  if ([...offsets.keys()].some((key) => key.startsWith(`${topic}-`))) return offsets;
  const recent = await offsetsAt({ brokers, topic, time: Date.now() - feedRetentionMs });
  return new Map([...recent, ...offsets]);
}
