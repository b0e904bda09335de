import { setTimeout as delay } from 'node:timers/promises';
import { openStreamClient } from '#streams/client.ts';
import type { StreamClient } from '#streams/port.ts';
import { readTopic } from '#streams/read-topic.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { quiet } from '../quiet.ts';
import type { Place } from './check.ts';

/** What works off which topic, in the order in which it comes to them. */
const WORK: readonly (readonly [service: string, input: TopicName])[] = [
  ['match-processor', 'normalized-messages'],
  ['standings-processor', 'match-results'],
];
/** How long a processor may be without any progress, in milliseconds: it may be killed and start again. */
const PATIENCE = 60_000;
const LOOK_EVERY = 200;

/**
 * Waits until the processors have worked off all there is, as long as they get on with it, or until `signal`. Their
 * committed positions say so: a processor that is idle may not have seen yet what is there for it.
 */
export async function settled(place: Place, signal: AbortSignal): Promise<void> {
  const client = openStreamClient({ brokers: place.brokers, clientId: 'touchline-demo', log: quiet });
  for (const [service, input] of WORK) {
    let least = Number.POSITIVE_INFINITY;
    let since = performance.now();
    for (;;) {
      const left = await recordsLeft(client, place, service, input);
      if (left === 0) break;
      if (left < least) [least, since] = [left, performance.now()];
      if (performance.now() - since > PATIENCE) return;
      if (!(await delay(LOOK_EVERY, true, { signal }).catch(() => false))) return;
    }
  }
}

async function recordsLeft(
  client: StreamClient,
  { brokers, prefix }: Place,
  service: string,
  input: TopicName,
): Promise<number> {
  const topic = topicName(prefix, input);
  const ends = new Map<number, number>();
  await readTopic({
    brokers,
    topic,
    fromBeginning: true,
    untilEnd: true,
    log: quiet,
    onRecord: ({ partition, offset }) => void ends.set(partition, offset + 1),
  });
  const left = await Promise.all(
    [...ends].map(async ([partition, end]) =>
      Math.max(0, end - ((await client.committedOffset(`${prefix}${service}`, { topic, partition })) ?? 0)),
    ),
  );
  return left.reduce((sum, count) => sum + count, 0);
}
