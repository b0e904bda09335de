/** Records of feed health that a test publishes instead of a monitor. */

import type { FeedHealth } from '#records/types.ts';
import type { PipelineConnection } from './pipeline.ts';
import { publishValues } from './publish-values.ts';

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

export function publishHealth(connection: PipelineConnection, ...records: FeedHealth[]): Promise<void> {
  const keyed = records.map((value) => ({
    key: value.event_id === null ? value.source : `${value.source}/${value.event_id}`,
    value,
  }));
  return publishValues(connection, 'feed-health', keyed);
}
