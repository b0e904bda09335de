/** `touchline topics`: creates the topics and registers their schemas. */
import { TOPICS } from '#topics/topics.ts';
import { defineCommand } from '../../command.ts';

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

export const command = defineCommand({
  help: HELP,
  options: {
    'replication-factor': { type: 'string' },
    'min-in-sync': { type: 'string' },
    partitions: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
  changes: ({ values }) => !values.print,
});
