import { readPositions } from '#cluster/logs.ts';
import { followLogs } from '#streams/read/follow.ts';
import { poll } from '#timing/poll.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { streamTopics } from '#topics/processors.ts';

/** Processors in the order of the data flow. */
const PROCESSORS = ['match-processor', 'standings-processor'] as const;
/** Timeout without progress: a processor may be killed and restarted. */
const PROGRESS_TIMEOUT = { timeoutMs: 60_000, everyMs: 200 };

/**
 * Waits until the processors have processed all their input, until one makes no progress, or until `signal`. Compares
 * committed positions: an idle processor may not have fetched its latest input yet.
 */
export async function untilProcessed({ brokers, prefix }: TopicCluster, signal: AbortSignal): Promise<void> {
  for (const processor of PROCESSORS) {
    const { application, input } = streamTopics(prefix, processor);
    // The offset after the last record of each partition, since transaction markers at the end are no input. Read once: the
    // previous processors are done, so the input is complete.
    const ends = new Map<number, number>();
    await followLogs({
      brokers,
      topics: [input],
      untilEnd: true,
      onBatch(batch) {
        for (const { partition, records } of batch) ends.set(partition, (records.at(-1)?.offset ?? -1) + 1);
      },
    });
    let pending = Number.POSITIVE_INFINITY;
    while (pending > 0) {
      const fewer = async (): Promise<number | undefined> => {
        const positions = await readPositions({ brokers, application });
        const left = [...ends].map(([partition, end]) => Math.max(0, end - (positions.get(partition) ?? 0)));
        const sum = left.reduce((total, one) => total + one, 0);
        return sum < pending ? sum : undefined;
      };
      const found = await poll(fewer, { ...PROGRESS_TIMEOUT, signal });
      if (found === undefined) return;
      pending = found;
    }
  }
}
