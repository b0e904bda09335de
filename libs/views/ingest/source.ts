/** Reads the topics that the views are made from. */

import { offsetsAt } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#service/logger.ts';
import { partitionKey } from '#streams/client/port.ts';
import { logsMessages } from '#streams/log.ts';
import { type FollowedBatch, follow } from '#streams/read/follow.ts';
import type { Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { Tracer } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ViewMetrics } from '../metrics.ts';
import type { ReadPosition, SourceTopic, ViewRecord } from './records.ts';

export type SourceOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
  /** What the brokers know the reader by. */
  readonly reader: string;
  /** Where to go on by `partitionKey`. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The leader epochs of what was read before, by `partitionKey`. */
  readonly epochs: ReadonlyMap<string, number>;
  /** Takes the records of one partition, and where to go on after them. Must not return before they are applied. */
  readonly apply: (records: readonly ViewRecord[], position: ReadPosition) => void;
  /** What the views are fed from. */
  readonly topics: readonly SourceTopic[];
  /** How long messages of the feed are kept, milliseconds. */
  readonly feedRetentionMs: number;
  readonly metrics: ViewMetrics;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Everything that was there at the start is applied. */
  readonly onCaughtUp: () => void;
};

/** Most partitions are idle; a long poll avoids ten empty fetches a second. */
const IDLE_MS = 500;

type Decoders = { readonly [T in SourceTopic]: Decoder<TopicValues[T]> };

/** Applies all existing and new records until `signal` is aborted. Rejects as `follow` does, or with what `apply` throws. */
export async function followSources(options: SourceOptions): Promise<void> {
  const { brokers, prefix, registry, apply, metrics, log, signal } = options;
  const topics = new Map(options.topics.map((topic) => [topicName(prefix, topic), topic]));
  const decoders = decodersOf(registry);
  const decode = async (topic: SourceTopic, batch: FollowedBatch): Promise<ViewRecord[]> => {
    const records: ViewRecord[] = [];
    const decoder: Decoder<unknown> = decoders[topic];
    await decoder.prepare(batch.records);
    for (const { partition, offset, key, value: bytes, timestamp } of batch.records) {
      try {
        const value = bytes === null ? null : decoder.decode(bytes);
        // The value is that of the topic: it was read by its decoder.
        const read = { topic, partition, offset, key: key?.toString() ?? '', value, written: timestamp };
        records.push(read as ViewRecord);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        metrics.skipped.inc({ topic });
        const place = { topic: batch.topic, partition, offset };
        log.error({ err: error, ...place }, 'a record that cannot be decoded is left out');
      }
    }
    return records;
  };
  await follow({
    brokers,
    reader: options.reader,
    topics: [...topics.keys()],
    from: await positions(options),
    epochs: options.epochs,
    idleMs: IDLE_MS,
    signal,
    async onBatch(batch) {
      const topic = topics.get(batch.topic);
      if (topic === undefined) return;
      const records = await decode(topic, batch);
      const started = performance.now();
      apply(records, { key: partitionKey(batch), next: batch.next, epoch: batch.epoch });
      metrics.applySeconds.observe((performance.now() - started) / 1000);
      const tracing = tracer();
      if (tracing !== null) traceApplied(tracing, batch, records, Date.now() - (performance.now() - started));
      if (logsMessages(log))
        for (const record of records)
          log.debug({ ...identify(record), topic: batch.topic }, 'record applied to the views');
      metrics.records.inc({ topic }, batch.records.length);
      metrics.lag.set({ topic, partition: String(batch.partition) }, Math.max(0, batch.end - batch.next));
      metrics.seen(batch.records.at(-1)?.timestamp ?? null);
    },
    onCaughtUp: options.onCaughtUp,
  });
}

/** Views that are rebuilt read records whose traces ended long ago. */
const TRACED_MS = 3_600_000;

/** A span for each record that belongs to a trace. */
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

/** The fields of a record in log lines. */
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

/** The position to resume at; a feed that is read for the first time starts at its oldest record. */
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

function decodersOf(registry: Registry): Decoders {
  return {
    catalogue: registry.decoder('catalogue'),
    clients: registry.decoder('clients'),
    'match-state': registry.decoder('match-state'),
    'match-incidents': registry.decoder('match-incidents'),
    'match-transitions': registry.decoder('match-transitions'),
    'normalized-messages': registry.decoder('normalized-messages'),
    'standings-catalogue': registry.decoder('standings-catalogue'),
    standings: registry.decoder('standings'),
    'feed-health': registry.decoder('feed-health'),
  };
}
