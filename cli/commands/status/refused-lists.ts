import { offsetsAt } from '#cluster/logs.ts';
import type { RefusedList } from '#records/types.ts';
import { follow } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';

/** A service that reports, reports at least this often, milliseconds. */
const REPORTS_WITHIN_MS = 10_000;

/**
 * Returns the events whose latest incident list the poller refuses, by its last report; empty when no poller reports. Rejects as
 * `follow`.
 */
export async function readRefusedLists(
  cluster: OpenCluster,
  signal: AbortSignal,
): Promise<readonly RefusedList[]> {
  const { brokers, prefix } = cluster;
  const topic = topicName(prefix, 'ingress-status');
  const from = await offsetsAt({ brokers, topic, time: Date.now() - REPORTS_WITHIN_MS });
  let latest: readonly RefusedList[] = [];
  await follow(['ingress-status'], cluster, {
    from,
    untilEnd: true,
    signal,
    onRecord({ value }) {
      if (value?.source === 'feed') latest = value.refused_lists;
    },
  });
  return latest;
}
