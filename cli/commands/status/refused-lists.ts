import { offsetsAt } from '#cluster/logs.ts';
import { follow } from '#streams/read/follow.ts';
import type { RefusedList } from '#topics/generated/types.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';

/** A service that reports, reports at least this often, milliseconds. */
const REPORTS_WITHIN_MS = 10_000;

/**
 * Returns the events whose latest incident list the poller refuses, by its last report; empty when no poller reports. Rejects with
 * `StreamError`, `DecodeError`.
 */
export async function readRefusedLists(
  { brokers, prefix, registry }: OpenCluster,
  signal: AbortSignal,
): Promise<readonly RefusedList[]> {
  const topic = topicName(prefix, 'ingress-status');
  const decoder = registry.decoder('ingress-status');
  const atEnd = new AbortController();
  let latest: readonly RefusedList[] = [];
  await follow({
    brokers,
    topics: [topic],
    from: await offsetsAt({ brokers, topic, time: Date.now() - REPORTS_WITHIN_MS }),
    signal: AbortSignal.any([signal, atEnd.signal]),
    async onBatch({ records }) {
      for (const { value } of records) {
        const status = value === null ? null : await decoder.read(value);
        if (status?.source === 'feed') latest = status.refused_lists;
      }
    },
    onCaughtUp: () => atEnd.abort(),
  });
  return latest;
}
