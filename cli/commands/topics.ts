/** `touchline topics`: creates the topics and registers their schemas. */
import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { createTopics, findTopics, topicCommands } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { TOPIC_NAMES, TOPICS, topicName } from '#topics/topics.ts';
import { type Command, parseArguments, UsageError } from '../command.ts';
import { findPlace } from '../place.ts';
import { printCommands } from '../print-commands.ts';

const HELP = `Usage: touchline topics [--replication-factor <n>] [--partitions <n>] [--print]

Creates every missing topic and registers the schemas of all; existing topics stay unchanged. Services need
both; touchline up and demo do this by themselves. docs/reference/topics.md has the table.

  --replication-factor <n>  copies of each partition of a topic that is made; default: the broker's own. From 3 on, two
                            copies must have a record before it counts as written.
  --partitions <n>          partitions of the topics of a match that are made, default ${TOPICS['match-state'].partitions}; all of them must have the same
  --print                   only prints the commands of kafka-topics.sh that create all of them, for an operator who may

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

/** Creates the topics. */
export const topics: Command = {
  name: 'topics',
  summary: 'creates the topics and registers their schemas',
  help: HELP,
  async run(args) {
    const { print, ...counts } = parse(args);
    if (print) {
      const { TOPIC_PREFIX: prefix } = loadConfig(
        z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX }),
        process.env,
      );
      printCommands('kafka-topics.sh', topicCommands({ prefix, ...counts }));
      return 0;
    }
    const place = findPlace(process.env);
    const at = { brokers: place.KAFKA_BROKERS, prefix: place.TOPIC_PREFIX };
    const there = await findTopics(at);
    await createTopics({ ...at, ...counts });
    await Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX }).registerAll();
    for (const topic of TOPIC_NAMES) {
      process.stdout.write(`${there.has(topic) ? 'there' : 'made '}  ${topicName(at.prefix, topic)}\n`);
    }
    return 0;
  },
};

function parse(args: readonly string[]): { replicationFactor?: number; partitions?: number; print: boolean } {
  const options = {
    'replication-factor': { type: 'string' },
    partitions: { type: 'string' },
    print: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArguments(args, { options });
  const replicationFactor = count('replication-factor', values['replication-factor']);
  const partitions = count('partitions', values.partitions);
  return {
    print: values.print,
    ...(replicationFactor === undefined ? {} : { replicationFactor }),
    ...(partitions === undefined ? {} : { partitions }),
  };
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--${name} must be a whole number from 1 to 9999`);
  return Number(text);
}
