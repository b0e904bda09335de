/** Reads the topics that the views are built from. */

import { setImmediate as turn } from 'node:timers/promises';
import { offsetsAt } from '#cluster/logs.ts';
import type { Logger } from '#service/logger.ts';
import { partitionKey } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { follow, type TopicBatch, type TopicRecord, type TopicSource } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { reportUnreadable, type UnreadableRecord } from '#topics/unreadable.ts';
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
  readonly reader: string;
  /** The next offset to read, by `partitionKey`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Leader epochs of the last records that were read, by `partitionKey`. */
  readonly epochs: ReadonlyMap<string, number>;
  /** Applies records, each partition's in order, and stores the positions after them. Returns when both are done. */
  readonly apply: (records: readonly ViewRecord[], positions: readonly ReadPosition[]) => void;
  /** Minimum interval between two requests for the topics that readers wait for, milliseconds. */
  readonly urgentPaceMs: number;
  readonly topics: readonly SourceTopic[];
  /** Called once all records that existed at the start are applied. */
  readonly onCaughtUp: () => void;
  /** Called at least twice a second for each partition of an urgent topic that was read to the end it had `at` (steady clock). */
  readonly onUpToDate: (topic: SourceTopic, partition: number, at: number) => void;
  readonly onUnreadable: (topic: SourceTopic, record: UnreadableRecord) => void;
};

/**
 * Topics that no reader waits for. A message changes several partitions of the others within a few milliseconds: a fetch over all
 * partitions finds what arrived since the last one, and its records form one batch.
 */
const LATER: ReadonlySet<SourceTopic> = new Set(['normalized-messages', 'standings', 'provider-standings']);
/** Interval between requests for the feed and for tables, milliseconds. */
const PACE_MS = 50;

/** Number of records of a fetch after which what waits for the event loop, such as a request, has its turn. */
const LARGE_BATCH = 100;

/**
 * Applies all existing and new records until `signal` is aborted. Reads urgent topics apart from the others. Rejects as
 * `follow` does, with `PositionLostError` when records expired before they were read, or with the error of `apply`.
 */
export async function followSources(options: SourceOptions): Promise<void> {
  const { prefix, onUpToDate } = options;
  const lanes = [
    { topics: options.topics.filter((topic) => !LATER.has(topic)), paceMs: options.urgentPaceMs },
    { topics: options.topics.filter((topic) => LATER.has(topic)), paceMs: PACE_MS },
  ].filter(({ topics }) => topics.length > 0);
  const named = new Map(options.topics.map((topic) => [topicName(prefix, topic), topic]));
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const from = await positions(options);
  let behind = lanes.length;
  const reading = lanes.map(({ topics, paceMs }) =>
    follow(topics, options, {
      reader: options.reader,
      paceMs: () => paceMs,
      from,
      epochs: options.epochs,
      signal,
      async onBatch(batch) {
        applyBatch(batch, options);
        if (batch.records.length >= LARGE_BATCH) await turn();
      },
      // The views would keep what an expired record replaced.
      onExpired(records) {
        const { from: first, next } = records;
        throw new PositionLostError(
          `${partitionKey(records)} lost the records from ${first} to ${next - 1} before they were read`,
        );
      },
      ...(topics.includes('match-state') && {
        onUpToDate: ({ topic, partition }, at) => onUpToDate(named.get(topic) as SourceTopic, partition, at),
      }),
      onUnreadable(record) {
        options.onUnreadable(named.get(record.topic) as SourceTopic, record);
        reportUnreadable(record);
      },
      onCaughtUp() {
        behind -= 1;
        if (behind === 0) options.onCaughtUp();
      },
    }).finally(() => over.abort()),
  );
  // A lane that fails ends the other one: nothing is applied after this function returns.
  for (const read of await Promise.allSettled(reading)) if (read.status === 'rejected') throw read.reason;
}

function applyBatch(
  { records, partitions }: TopicBatch<SourceTopic>,
  { apply, metrics, log, prefix }: SourceOptions,
): void {
  const started = performance.now();
  const at = Date.now();
  apply(
    records,
    partitions.map((of) => ({ key: partitionKey(of), next: of.next, epoch: of.epoch })),
  );
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

/** Records that were written longer ago get no span: a rebuild reads records whose traces have ended. */
const TRACED_MS = 3_600_000;

/** Starts and ends a span for a record that belongs to a trace. */
function traceApplied(
  tracing: Tracer,
  record: TopicRecord<SourceTopic>,
  prefix: string,
  startedAt: number,
): void {
  const { timestamp, traceparent: parent } = record;
  if (parent === undefined || timestamp < startedAt - TRACED_MS) return;
  const fields = identify(record, prefix);
  const attributes = spanAttributes(fields);
  tracing.start(`apply ${fields.topic}`, { kind: 'consumer', parent, startedAt, attributes })?.end();
}

function identify({ topic, partition, offset, value }: TopicRecord<SourceTopic>, prefix: string) {
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
