import { inputProgress, type PartitionProgress } from '#cluster/logs.ts';
import { streamTopics } from '#topics/processors.ts';
import { findCluster, platformName } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import type { command } from './command.ts';
import { setPosition } from './set-position.ts';

const COLUMNS: readonly TextColumn<PartitionProgress>[] = [
  { head: 'partition', align: 'right', of: ({ partition }) => partition },
  { head: 'position', align: 'right', of: ({ position }) => position ?? '-' },
  { head: 'start', align: 'right', of: ({ start }) => start },
  { head: 'end', align: 'right', of: ({ end }) => end },
  { head: 'behind', align: 'right', of: ({ position, start, end }) => end - (position ?? start) },
];

export async function run(...[processor, partitions, to, given]: GivenTo<typeof command>): Promise<number> {
  const { yes = false, acceptState: acceptsState = false } = given;
  if (partitions === undefined && (acceptsState || yes))
    throw new UsageError('--accept-state and --yes go with a partition and an offset');
  if (partitions !== undefined && to === undefined) throw new UsageError('name partitions and one offset');
  const { brokers, prefix } = findCluster(process.env);
  const topics = streamTopics(prefix, processor);
  if (partitions === undefined || to === undefined) {
    const rows = await inputProgress({ brokers, ...topics });
    process.stdout.write(tableText(COLUMNS, rows));
    return 0;
  }
  for (const partition of partitions) {
    const options = { brokers, partition, to, acceptsState, skipsNothing: !yes };
    const { before, next } = await setPosition(topics, options);
    process.stdout.write(
      `${platformName({ brokers, prefix })}: ${topics.input}-${partition}: ${processor} resumes at ${next}, it was at ${before ?? 'no position'}\n`,
    );
  }
  return 0;
}
