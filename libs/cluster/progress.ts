/** How far an application has processed its input, as the broker knows it. */
import type { Brokers } from '#security/brokers.ts';
import type { Logger } from '#streams/log.ts';
import { readPositions, topicBounds } from './logs.ts';

/** A partition of an application's input, and how far it has been processed. */
export type PartitionProgress = {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
  /** Null where nothing was committed yet. */
  readonly position: number | null;
};

/** The progress of an application on its input topic. Rejects with `StreamError`, `RefusedError`. */
export async function inputProgress(options: {
  readonly brokers: Brokers;
  readonly application: string;
  readonly input: string;
  readonly log: Logger;
}): Promise<PartitionProgress[]> {
  const { brokers, input } = options;
  const [positions, bounds] = await Promise.all([
    readPositions(options),
    topicBounds({ brokers, clientId: 'touchline-progress' }, [input]),
  ]);
  return bounds.map(({ partition, start, end }) => ({
    partition,
    start,
    end,
    position: positions.get(partition) ?? null,
  }));
}

/** Records that wait in these partitions. */
export function behindOf(partitions: readonly PartitionProgress[]): number {
  return partitions.reduce(
    (sum, { start, end, position }) => sum + Math.max(0, end - (position ?? start)),
    0,
  );
}
