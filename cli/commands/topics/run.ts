import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { createTopics, findTopics, topicCommands, type WantedTopics } from '#topics/admin.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { findCluster } from '../../cluster.ts';
import type { GivenTo } from '../../command.ts';
import { printCommands } from '../../print-commands.ts';
import { topicTableSettings, wantedTopicsOf } from '../../topic-settings.ts';
import { parseCount } from '../option-values.ts';
import type { command } from './command.ts';

const settings = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX, ...topicTableSettings });

export async function run(args: GivenTo<typeof command>): Promise<number> {
  const { print, given } = parse(args);
  const config = loadConfig(settings, process.env);
  const wanted = { ...wantedTopicsOf(config), ...given };
  if (print) {
    printCommands('kafka-topics.sh', topicCommands({ prefix: config.TOPIC_PREFIX, ...wanted }));
    return 0;
  }
  const place = findCluster(process.env);
  const there = await findTopics(place);
  const warnings = await createTopics({ ...place, ...wanted });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  await place.registry.registerAll();
  for (const topic of TOPIC_NAMES) {
    process.stdout.write(`${there.has(topic) ? 'there' : 'made '}  ${topicName(place.prefix, topic)}\n`);
  }
  return 0;
}

function parse({ values }: GivenTo<typeof command>): { given: WantedTopics; print: boolean } {
  const replicationFactor = parseCount('replication-factor', values['replication-factor']);
  const minInSync = parseCount('min-in-sync', values['min-in-sync']);
  const partitions = parseCount('partitions', values.partitions);
  return {
    print: values.print,
    given: {
      ...(replicationFactor === undefined ? {} : { replicationFactor }),
      ...(minInSync === undefined ? {} : { minInSync }),
      ...(partitions === undefined ? {} : { partitions }),
    },
  };
}
