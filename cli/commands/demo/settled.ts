import { readTopic } from '#streams/read/read-topic.ts';
import { readPositions } from '#streams/runtime/positions.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { quiet } from '../../quiet.ts';
import type { Place } from './check.ts';
import { pause } from './pause.ts';

/** What works off which topic, in the order in which it comes to them. */
const WORK: readonly (readonly [service: string, input: TopicName])[] = [
  ['match-processor', 'normalized-messages'],
  ['standings-processor', 'match-results'],
  ['webhook-composer', 'match-transitions'],
];
/** How long a processor may be without any progress, in milliseconds: it may be killed and start again. */
const PATIENCE = 60_000;
const LOOK_EVERY = 200;

/**
 * Waits until the processors have worked off all there is, as long as they get on with it, or until `signal`. Their
 * committed positions say so: a processor that is idle may not have seen yet what is there for it.
 */
export async function settled(place: Place, signal: AbortSignal): Promise<void> {
  for (const [service, input] of WORK) {
    const application = `${place.prefix}${service}`;
    const topic = topicName(place.prefix, input);
    // Once: what came before it is worked off, so all that it has to do is there.
    const ends = await endsOf(place.brokers, topic);
    let least = Number.POSITIVE_INFINITY;
    let since = performance.now();
    for (;;) {
      const left = await recordsLeft(place.brokers, application, ends);
      if (left === 0) break;
      if (left < least) [least, since] = [left, performance.now()];
      if (performance.now() - since > PATIENCE) return;
      if (!(await pause(LOOK_EVERY, signal))) return;
    }
  }
}

/** The offset after the last record of each partition that has one: what ends a transaction is nothing to work off. */
async function endsOf(brokers: readonly string[], topic: string): Promise<Map<number, number>> {
  const ends = new Map<number, number>();
  await readTopic({
    brokers,
    topic,
    fromBeginning: true,
    untilEnd: true,
    onRecord: ({ partition, offset }) => void ends.set(partition, offset + 1),
  });
  return ends;
}

async function recordsLeft(
  brokers: readonly string[],
  application: string,
  ends: ReadonlyMap<number, number>,
): Promise<number> {
  const positions = await readPositions({ brokers, application, log: quiet });
  let left = 0;
  for (const [partition, end] of ends) left += Math.max(0, end - (positions.get(partition) ?? 0));
  return left;
}
