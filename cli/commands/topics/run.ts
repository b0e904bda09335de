import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { createTopics, findTopics, topicCommands, type WantedTopics } from '#topics/admin.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { findCluster, platformName, withBackbone } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { registerSchemas } from '../../followed-topics.ts';
import { parseAccepted, topicTableSettings, wantedTopicsOf } from '../../platform-settings.ts';
import { printLine } from '../../terminal.ts';
import { printCommands } from '../print.ts';
import type { command } from './command.ts';

const settings = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX, ...topicTableSettings });

export async function run(
  ...[{ accept: accepted, print, ...given }]: GivenTo<typeof command>
): Promise<number> {
  const accept = parseAccepted(accepted);
  const config = loadConfig(settings, withBackbone(process.env));
  const wanted: WantedTopics = { ...wantedTopicsOf(config), ...given };
  if (print) {
    printCommands('kafka-topics.sh', topicCommands({ prefix: config.TOPIC_PREFIX, ...wanted }));
    return 0;
  }
  const cluster = findCluster(process.env);
  const existing = await findTopics(cluster);
  const { warnings, repaired } = await createTopics({ ...cluster, ...wanted, accept });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  await registerSchemas(cluster);
  for (const mismatch of repaired) printLine(`mended  ${mismatch}`);
  for (const topic of TOPIC_NAMES)
    printLine(`${existing.has(topic) ? 'there' : 'made '}  ${topicName(cluster.prefix, topic)}`);
  if (accept !== undefined) printLine(`${platformName(cluster)}: accepted ${accepted}`);
  return 0;
}
