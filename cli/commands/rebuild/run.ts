import { partitionsUpTo } from '#streams/client/port.ts';
import { REBUILD_REFUSES } from '#streams/runtime/positions.ts';
import { createTopics, deleteTopics, topicPartitions, topicsUnder } from '#topics/admin.ts';
import { type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import { IDENTIFIED, writeTopicMarks } from '#topics/topic-ids.ts';
import { topicName } from '#topics/topics.ts';
import {
  dataDirWithPlatform,
  findCluster,
  type OpenCluster,
  platformName,
  requireConfirmed,
} from '../../cluster.ts';
import { CommandError, type GivenTo } from '../../command.ts';
import { lossOf, recordCounts, withStopped } from '../../deletion.ts';
import { printLine } from '../../terminal.ts';
import { setPosition } from '../position/run.ts';
import type { command } from './command.ts';
import { REBUILDS, rebuildLoss } from './losses.ts';

export async function run(...[processor, { yes, lose }]: GivenTo<typeof command>): Promise<number> {
  const cluster = findCluster(process.env);
  const all = [processor, ...REBUILDS[processor].readers];
  const existing = new Set(await topicsUnder(cluster));
  const deleted = all.flatMap((one) => deletedTopics(cluster, one)).filter((topic) => existing.has(topic));
  const loss = await rebuildLoss(cluster, processor, existing);
  const records = lossOf(await recordCounts(cluster, deleted));
  const question = loss.count === 0 ? records : `${records}: ${loss.text} cannot be derived again`;
  if (loss.count > lose)
    throw new CommandError(
      `${platformName(cluster)}: ${question}, and rebuild ${REBUILD_REFUSES} (REBUILD_LOSES); keep a copy of them ` +
        `(npx touchline replay --copy --into saved.), and go on without them: npx touchline rebuild ${processor} --yes --lose ${loss.count}`,
      'REBUILD_LOSES',
    );
  requireConfirmed(cluster, yes, question);
  await withStopped(cluster, all, async () => {
    for (const one of all) await rebuildOne(cluster, one);
  });
  const isStarted = dataDirWithPlatform(process.env) !== null;
  if (loss.count > 0) printLine(`lost: ${loss.text}`);
  const what = isStarted ? 'process all input again' : 'will process all input again: start them';
  printLine(`${platformName(cluster)}: ${all.join(' and ')} ${what}`);
  return 0;
}

/** Returns the topics that a rebuild deletes, named as on the broker. */
function deletedTopics({ prefix }: OpenCluster, processor: ProcessorName): string[] {
  const outputs = REBUILDS[processor].deleted.map((topic) => topicName(prefix, topic));
  return [...outputs, positionsTopicName(prefix, processor)];
}

async function rebuildOne(cluster: OpenCluster, processor: ProcessorName): Promise<void> {
  const { brokers, prefix } = cluster;
  const deleted = deletedTopics(cluster, processor);
  const partitions = await topicPartitions(brokers, topicName(prefix, 'normalized-messages'));
  const marked = REBUILDS[processor].deleted.filter((topic) => IDENTIFIED.includes(topic));
  await writeTopicMarks(brokers, prefix, new Map(marked.map((topic) => [topic, null])));
  await deleteTopics(brokers, deleted);
  await createTopics({ brokers, prefix, partitions });
  printLine(`${processor}: deleted and created ${deleted.join(', ')}`);
  // Without a position the processor would refuse the changelogs that stay.
  const topics = streamTopics(prefix, processor);
  if (topics.changelogs.every((changelog) => deleted.includes(changelog))) return;
  const inputs = partitionsUpTo(topics.input, await topicPartitions(brokers, topics.input));
  for (const { partition } of inputs)
    await setPosition(topics, { brokers, partition, to: 'start', acceptsState: true });
}
