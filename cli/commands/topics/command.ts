/** `touchline topics`: creates the topics and registers their schemas. */
import { TOPICS } from '#topics/topics.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline topics [--replication-factor <n>] [--min-in-sync <n>] [--partitions <n>] [--accept <topics>] [--print]

Creates every missing topic and registers all schemas. Services need both; touchline up and demo do this by themselves.
Of existing topics it sets what nobody chose or a topic needs, and gives an empty one its partitions; it refuses where
records may be lost already, and creates none in the place of one that was lost. docs/reference/topics.md lists the topics.
Warns when the number of replicas is unsafe.

  --replication-factor <n>  replicas of each partition of a new topic; default: TOPIC_REPLICATION_FACTOR, else one per
                            broker, at most three
  --min-in-sync <n>         replicas that must have a record before it counts as written; default:
                            TOPIC_MIN_IN_SYNC_REPLICAS, else two of three, else one
  --partitions <n>          partitions of new topics of a match, the same number for all of them; default:
                            TOPIC_PARTITIONS, else that of existing ones, else ${TOPICS['match-state'].partitions}
  --accept <topics>         topics that were lost, separated by commas, or all: creates those that are missing, and continues
                            with the records that the others have now
  --print                   only prints the commands of kafka-topics.sh that create all topics, for an operator who may
                            create them

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    'replication-factor': { type: 'string' },
    'min-in-sync': { type: 'string' },
    partitions: { type: 'string' },
    accept: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
  changes: ({ values }) => !values.print,
});
