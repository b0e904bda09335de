/** Records of feed health that a test publishes instead of a monitor. */

import type { FeedHealth } from '#records/types.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { atEnd } from './at-end.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection } from './pipeline.ts';

/** Returns a record of the source `webhook`, or of one of its matches: alive, with these changes. */
export function health(change: Partial<FeedHealth>): FeedHealth {
  return {
    source: 'webhook',
    event_id: null,
    state: 'alive',
    reason: null,
    since: 1,
    heard_at: null,
    delay: null,
    clock_runs: true,
    progress: null,
    gaps: [],
    gap_count: 0,
    reports: [],
    keep_alive_at: null,
    term: 1,
    written_at: 1,
    valid_until: null,
    judged_from: null,
    clock_since: null,
    ...change,
  };
}

/** Returns a function that publishes such records. It is closed after the test or file that opened it. */
export async function openHealth({
  brokers,
  registryUrl,
  prefix,
}: PipelineConnection): Promise<(records: readonly FeedHealth[]) => Promise<void>> {
  const codec = await Registry.open({ url: registryUrl, prefix }).codec('feed-health');
  const publisher = await openPublisher({
    brokers,
    clientId: 'test-health',
    log: quietLog,
    timeoutMs: 60_000,
  });
  atEnd(() => publisher.close());
  const topic = topicName(prefix, 'feed-health');
  return (records) =>
    publisher.publish(
      records.map((value) => ({
        topic,
        key: value.event_id === null ? value.source : `${value.source}/${value.event_id}`,
        value: codec.encode(value),
      })),
    );
}
