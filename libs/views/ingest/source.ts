/** Reads the topics that the views are built from. */

import { offsetsAt } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#service/logger.ts';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { type FollowedBatch, follow, PositionLostError } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import { readable } from '#topics/readable.ts';
import type { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { Tracer } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ViewMetrics } from '../metrics.ts';
import { BatchGatherer } from './batch-gatherer.ts';
import type { ReadPosition, SourceTopic, ViewRecord } from './records.ts';

export type SourceOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  /** Retention of the feed's messages, milliseconds. */
  readonly feedRetentionMs: number;
  readonly metrics: ViewMetrics;
  readonly log: Logger;
  /** Aborted when the process must stop. */
  readonly signal: AbortSignal;
  readonly registry: Registry;
  /** Client id that the brokers see. */
  readonly reader: string;
  /** The next offset to read, by `partitionKey`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Leader epochs of the last records that were read, by `partitionKey`. */
  readonly epochs: ReadonlyMap<string, number>;
  /** Applies records, each partition's in order, and stores the positions after them. Returns when both are done. */
  readonly apply: (records: readonly ViewRecord[], positions: readonly ReadPosition[]) => void;
  /** Minimum interval between two batches of the topics that readers wait for, milliseconds. */
  readonly urgentBatchMs: number;
  /** The topics to read. */
  readonly topics: readonly SourceTopic[];
  /** Called once all records that existed at the start are applied. */
  readonly onCaughtUp: () => void;
  /** Called at least twice a second for each partition of match-state that was read to the end it had `at` (steady clock). */
  readonly onStatesRead: (partition: number, at: number) => void;
};

/**
 * Topics that readers wait for. A message changes several of their partitions within a few milliseconds. One batch gathers
 * all of them, as each batch costs a fetch over all partitions and a transaction of the views.
 */
const URGENT: ReadonlySet<SourceTopic> = new Set([
  // Its names are part of the rendered records of the other topics.
  'catalogue',
  'match-state',
  'match-incidents',
  'match-transitions',
  'feed-health',
]);
/** Interval between batches of the feed and of tables. */
const BATCH_MS = 50;

/** Records of one partition that were fetched together. */
type DecodedBatch = {
  readonly topic: SourceTopic;
  readonly batch: FollowedBatch;
  readonly records: readonly ViewRecord[];
};

/**
 * Applies all existing and new records until `signal` is aborted. Reads urgent topics apart from the others. Rejects as
 * `follow` does, with `PositionLostError` when records expired before they were read, or with the error of `apply`.
 */
export async function followSources(options: SourceOptions): Promise<void> {
  const lanes = [
    { topics: options.topics.filter((topic) => URGENT.has(topic)), batchMs: options.urgentBatchMs },
    { topics: options.topics.filter((topic) => !URGENT.has(topic)), batchMs: BATCH_MS },
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

type LaneOptions = SourceOptions & { readonly from: ReadonlyMap<string, number>; readonly batchMs: number };

async function followLane(options: LaneOptions): Promise<void> {
  const { brokers, prefix, registry, from, batchMs } = options;
  const topics = new Map(
    options.topics.map((topic) => [topicName(prefix, topic), { topic, decoder: registry.decoder(topic) }]),
  );
  const decode = async (
    { topic, decoder }: { topic: SourceTopic; decoder: Decoder<unknown> },
    batch: FollowedBatch,
  ): Promise<ViewRecord[]> => {
    const found = await readable(decoder, batch, batch.records);
    return found.map(({ value, record: { partition, offset, key, timestamp } }) => {
      // The topic's own decoder returns the topic's type of value.
      const read = { topic, partition, offset, key: key?.toString() ?? '', value, written: timestamp };
      return read as ViewRecord;
    });
  };
  const gatherer = new BatchGatherer<DecodedBatch>({
    intervalMs: batchMs,
    sizeOf: ({ records }) => records.length,
    apply: (batches) => applyBatches(batches, options),
  });
  const hasStates = options.topics.includes('match-state');
  const reading = follow({
    brokers,
    reader: options.reader,
    topics: [...topics.keys()],
    from,
    epochs: options.epochs,
    signal: AbortSignal.any([options.signal, gatherer.failed]),
    async onBatch(batch) {
      const source = topics.get(batch.topic);
      if (source === undefined) return;
      await gatherer.add({ topic: source.topic, batch, records: await decode(source, batch) });
    },
    // The views would keep what an expired record replaced.
    onExpired(records) {
      const { from: first, next } = records;
      throw new PositionLostError(
        `${partitionKey(records)} lost the records from ${first} to ${next - 1} before they were read`,
      );
    },
    ...(hasStates && {
      onUpToDate({ topic, partition }: TopicPartition, at: number) {
        if (topics.get(topic)?.topic === 'match-state') options.onStatesRead(partition, at);
      },
    }),
    onCaughtUp() {
      gatherer.caughtUp();
      options.onCaughtUp();
    },
  });
  await reading.finally(() => gatherer.close());
  gatherer.failed.throwIfAborted();
}

function applyBatches(batches: readonly DecodedBatch[], { apply, metrics, log }: SourceOptions): void {
  const started = performance.now();
  const at = Date.now();
  apply(
    batches.flatMap(({ records }) => records),
    batches.map(({ batch }) => ({ key: partitionKey(batch), next: batch.next, epoch: batch.epoch })),
  );
  metrics.applySeconds.observe((performance.now() - started) / 1000);
  const tracing = tracer();
  for (const { topic, batch, records } of batches) {
    if (tracing !== null) traceApplied(tracing, batch, records, at);
    if (logsMessages(log))
      for (const record of records)
        log.debug({ ...identify(record), topic: batch.topic }, 'record applied to the views');
    metrics.records.inc({ topic }, batch.records.length);
    metrics.lag.set({ topic, partition: String(batch.partition) }, Math.max(0, batch.end - batch.next));
    metrics.seen(batch.records.at(-1)?.timestamp ?? null);
  }
}

/** Records that were written longer ago get no span: a rebuild reads records whose traces have ended. */
const TRACED_MS = 3_600_000;

/** Starts and ends a span for each record that belongs to a trace. */
function traceApplied(
  tracing: Tracer,
  { topic, records: read }: FollowedBatch,
  applied: readonly ViewRecord[],
  startedAt: number,
): void {
  const byOffset = new Map(applied.map((record) => [record.offset, record]));
  for (const { offset, timestamp, traceparent: parent } of read) {
    if (parent === undefined || timestamp < startedAt - TRACED_MS) continue;
    const record = byOffset.get(offset);
    if (record === undefined) continue;
    const attributes = spanAttributes({ ...identify(record), topic });
    tracing.start(`apply ${topic}`, { kind: 'consumer', parent, startedAt, attributes })?.end();
  }
}

function identify({ partition, offset, value }: ViewRecord): MessageFields {
  const message: MessageFields =
    value === null
      ? {}
      : {
          ...('message_id' in value ? { message_id: value.message_id } : {}),
          ...('cause' in value ? { message_id: value.cause?.message_id ?? null } : {}),
          ...('event_id' in value && value.event_id !== null ? { event_id: value.event_id } : {}),
        };
  return { ...message, partition, offset };
}

/** Returns the positions to read from. Messages that were never read start at the oldest one within `feedRetentionMs`. */
async function positions({
  brokers,
  prefix,
  offsets,
  topics,
  feedRetentionMs,
}: SourceOptions): Promise<Map<string, number>> {
  const topic = topicName(prefix, 'normalized-messages');
  if (!topics.includes('normalized-messages')) return new Map(offsets);
  if ([...offsets.keys()].some((key) => key.startsWith(`${topic}-`))) return new Map(offsets);
  const recent = await offsetsAt({ brokers, topic, time: Date.now() - feedRetentionMs });
  return new Map([...recent, ...offsets]);
}
