/** `touchline topics`: creates the topics and registers their schemas. */
import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { createTopics, findTopics, topicCommands, type WantedTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { TOPIC_NAMES, TOPICS, topicName } from '#topics/topics.ts';
import { type Command, parseArguments } from '../command.ts';
import { findPlace } from '../place.ts';
import { printCommands } from '../print-commands.ts';
import { topicTableSettings, wantedTopicsOf } from '../topic-settings.ts';
import { parseCount } from './counts.ts';

const HELP = `Usage: touchline topics [--replication-factor <n>] [--min-in-sync <n>] [--partitions <n>] [--print]

Creates every missing topic and registers the schemas of all; existing topics stay unchanged. Services need
both; touchline up and demo do this by themselves. docs/reference/topics.md has the table. Warns where copies are unsafe.

  --replication-factor <n>  copies of each partition of a topic that is made; else TOPIC_REPLICATION_FACTOR, else one a
                            broker, at most three
  --min-in-sync <n>         copies that must have a record before it counts as written; else TOPIC_MIN_IN_SYNC_REPLICAS,
                            else two of three, and one of fewer
  --partitions <n>          partitions of the topics of a match that are made, else TOPIC_PARTITIONS, else ${TOPICS['match-state'].partitions}; all of
                            them must have the same
  --print                   only prints the commands of kafka-topics.sh that create all of them, for an operator who may

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

const settings = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX, ...topicTableSettings });

/** Creates the topics. */
export const topics: Command = {
  name: 'topics',
  help: HELP,
  async run(args) {
    const { print, given } = parse(args);
    const config = loadConfig(settings, process.env);
    const wanted = { ...wantedTopicsOf(config), ...given };
    if (print) {
      printCommands('kafka-topics.sh', topicCommands({ prefix: config.TOPIC_PREFIX, ...wanted }));
      return 0;
    }
    const place = findPlace(process.env);
    const at = { brokers: place.KAFKA_BROKERS, prefix: place.TOPIC_PREFIX };
    const there = await findTopics(at);
    const warnings = await createTopics({ ...at, ...wanted });
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    await Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX }).registerAll();
    for (const topic of TOPIC_NAMES) {
      process.stdout.write(`${there.has(topic) ? 'there' : 'made '}  ${topicName(at.prefix, topic)}\n`);
    }
    return 0;
  },
};

function parse(args: readonly string[]): { given: WantedTopics; print: boolean } {
  const options = {
    'replication-factor': { type: 'string' },
    'min-in-sync': { type: 'string' },
    partitions: { type: 'string' },
    print: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArguments(args, { options });
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
