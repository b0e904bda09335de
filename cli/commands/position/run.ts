import { inputProgress, type PartitionProgress } from '#cluster/logs.ts';
import { PROCESSOR_NAMES, streamTopics } from '#topics/processors.ts';
import { findCluster, platformName } from '../../cluster.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
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

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const { processor, partitions, to, acceptsState, skips } = parse(given);
  const { brokers, prefix } = findCluster(process.env);
  const topics = streamTopics(prefix, processor);
  if (to === undefined) {
    const rows = await inputProgress({ brokers, ...topics });
    process.stdout.write(tableText(COLUMNS, rows));
    return 0;
  }
  for (const partition of partitions) {
    const skipsNothing = !skips;
    const { before, next } = await setPosition(topics, {
      brokers,
      partition,
      to,
      acceptsState,
      skipsNothing,
    });
    process.stdout.write(
      `${platformName({ brokers, prefix })}: ${topics.input}-${partition}: ${processor} resumes at ${next}, it was at ${before ?? 'no position'}\n`,
    );
  }
  return 0;
}

function parse({ values, positionals }: ArgumentsOf<typeof command>) {
  const { yes: skips, 'accept-state': acceptsState } = values;
  const [name, partitions, offset, ...more] = positionals;
  const processor = PROCESSOR_NAMES.find((known) => known === name);
  if (processor === undefined) throw new UsageError(`name a processor: ${PROCESSOR_NAMES.join(' or ')}`);
  if (partitions === undefined) {
    if (acceptsState || skips)
      throw new UsageError('--accept-state and --yes go with a partition and an offset');
    return { processor, partitions: [], to: undefined, acceptsState, skips };
  }
  if (!/^\d{1,4}(,\d{1,4})*$/.test(partitions))
    throw new UsageError('the partition must be a number, or several: 0,3,7');
  if (offset === undefined || more.length > 0) throw new UsageError('name partitions and one offset');
  if (offset !== 'start' && offset !== 'end' && !/^\d{1,15}$/.test(offset))
    throw new UsageError('the offset must be a number, start or end');
  return {
    processor,
    partitions: partitions.split(',').map(Number),
    to: /^\d/.test(offset) ? Number(offset) : (offset as 'start' | 'end'),
    acceptsState,
    skips,
  };
}
