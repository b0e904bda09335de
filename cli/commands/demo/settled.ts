import { setTimeout as delay } from 'node:timers/promises';
import { readPositions } from '#cluster/logs.ts';
import { readTopic } from '#cluster/read-topic.ts';
import type { Brokers } from '#security/brokers.ts';
import { quiet } from '#streams/log.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';

/** Processors and their input topics, in the order of the data flow. */
const WORK: readonly (readonly [service: string, input: TopicName])[] = [
  ['match-processor', 'normalized-messages'],
  ['standings-processor', 'match-results'],
  ['webhook-composer', 'match-transitions'],
];
/** Longest time without progress, in milliseconds: a processor may be killed and restarted. */
const DEADLINE_MS = 60_000;
const LOOK_EVERY = 200;

/**
 * Waits until the processors have consumed all their input, until one makes no progress, or until `signal`. Goes by their
 * committed positions: an idle processor may not have fetched its latest input yet.
 */
export async function settled(place: TopicCluster, signal: AbortSignal): Promise<void> {
  for (const [service, input] of WORK) {
    const application = `${place.prefix}${service}`;
    const topic = topicName(place.prefix, input);
    // Read once: the processors before this one are done, so its input is complete.
    const ends = await endsOf(place.brokers, topic);
    let least = Number.POSITIVE_INFINITY;
    let since = performance.now();
    for (;;) {
      const left = await recordsLeft(place.brokers, application, ends);
      if (left === 0) break;
      if (left < least) [least, since] = [left, performance.now()];
      if (performance.now() - since > DEADLINE_MS) return;
      if (!(await pause(LOOK_EVERY, signal))) return;
    }
  }
}

/** The offset after the last record of each partition; transaction markers at the end are no input. */
async function endsOf(brokers: Brokers, topic: string): Promise<Map<number, number>> {
  const ends = new Map<number, number>();
  await readTopic({
    brokers,
    topic,
    untilEnd: true,
    onRecord: ({ partition, offset }) => void ends.set(partition, offset + 1),
  });
  return ends;
}

async function recordsLeft(
  brokers: Brokers,
  application: string,
  ends: ReadonlyMap<number, number>,
): Promise<number> {
  const positions = await readPositions({ brokers, application, log: quiet });
  let left = 0;
  for (const [partition, end] of ends) left += Math.max(0, end - (positions.get(partition) ?? 0));
  return left;
}

/** Waits so many milliseconds; false where the signal aborts it. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}
