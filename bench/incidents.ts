/** What a message costs by the number of incidents that its match has. In this process, without a broker. */
import { MAX_DECISIVE, MAX_INCIDENTS } from '#processors/match/loaded-match.ts';
import { codecs, commitMessages, goal, partitionOf } from '#processors/match/testing/partition.ts';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { type Bench, median } from './context.ts';
import { SMALLEST } from './size.ts';

const FEWEST = 200;
const COUNTS = [FEWEST, 1_000, MAX_INCIDENTS];
const MESSAGES = SMALLEST ? 3 : 200;
/** How much more a message of the largest match may cost than one of the smallest. */
const MAX_RATIO = 10;
/** A type of incident that changes no score. */
const OTHER_TYPE = 9_999;

export const bench: Bench = {
  about: 'the cost of a message of a match with 200, 1,000 and the most incidents',
  async run({ figure }) {
    const costs = COUNTS.map((count, at) => ({ count, ms: costOf(at + 2, count) }));
    const [fewest] = costs;
    for (const { count, ms } of costs)
      figure({
        name: `a message of a match with ${count} incidents`,
        ours: ms,
        beside: fewest && { name: `with ${FEWEST}`, value: fewest.ms },
        unit: 'ms',
        better: 'less',
        target: MAX_RATIO,
      });
  },
};

/** Returns the median time of a message of a match with so many incidents, as many of them goals as it may have, milliseconds. */
function costOf(eventId: number, count: number): number {
  const partition = partitionOf();
  commitMessages(partition, 0, listOf(eventId, count));
  const times = Array.from({ length: MESSAGES }, (_, n) => {
    const value = goal(eventId, 10_000, n + 1, false, n % 2 === 0 ? 'tbd' : 'confirmed');
    const started = performance.now();
    commitMessages(partition, n + 1, value);
    return performance.now() - started;
  });
  return median(times);
}

/** Returns a list of so many incidents of a match. */
function listOf(eventId: number, count: number): Buffer {
  const codec = codecs['normalized-messages'];
  const message = codec.decode(goal(eventId, 110, 0, false)) as NormalizedMessage;
  const record = message.incident?.incident as Incident;
  const snapshot = Array.from({ length: count }, (_, n) => ({
    ...record,
    id: `5-${10_000 + n}`,
    incident_id: n < MAX_DECISIVE ? record.incident_id : OTHER_TYPE,
  }));
  return codec.encode({ ...message, type: 'incident_snapshot', incident: null, snapshot });
}
