import { readPositions } from '#cluster/logs.ts';
import { readTopic } from '#cluster/read-topic.ts';
import { quiet } from '#streams/log.ts';
import { poll } from '#timing/poll.ts';
import { streamTopics } from '#topics/processors.ts';
import type { TopicCluster } from '#topics/read-values.ts';

/** In the order of the data flow. */
const PROCESSORS = ['match-processor', 'standings-processor', 'webhook-composer'] as const;
/** Longest time without progress: a processor may be killed and restarted. */
const WITHOUT_PROGRESS = { timeoutMs: 60_000, everyMs: 200 };

/**
 * Waits until the processors have consumed all their input, until one makes no progress, or until `signal`. Goes by their
 * committed positions: an idle processor may not have fetched its latest input yet.
 */
export async function settled({ brokers, prefix }: TopicCluster, signal: AbortSignal): Promise<void> {
  for (const processor of PROCESSORS) {
    const { application, input } = streamTopics(prefix, processor);
    // The offset after the last record of each partition; transaction markers at the end are no input. Read once: the processors
    // before this one are done, so its input is complete.
    const ends = new Map<number, number>();
    await readTopic({
      brokers,
      topic: input,
      untilEnd: true,
      onRecord: ({ partition, offset }) => void ends.set(partition, offset + 1),
    });
    let least = Number.POSITIVE_INFINITY;
    while (least > 0) {
      const fewer = async (): Promise<number | undefined> => {
        const positions = await readPositions({ brokers, application, log: quiet });
        const left = [...ends].map(([partition, end]) => Math.max(0, end - (positions.get(partition) ?? 0)));
        const sum = left.reduce((total, one) => total + one, 0);
        return sum < least ? sum : undefined;
      };
      const found = await poll(fewer, { ...WITHOUT_PROGRESS, signal });
      if (found === undefined) return;
      least = found;
    }
  }
}
