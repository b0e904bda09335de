import { TOPICS } from '#topics/topics.ts';
import { defineCommand, order } from '../../command.ts';
import { parseCount } from '../option-values.ts';

const definition = defineCommand('topics', {
  about: `Creates every missing topic and registers all schemas. Services need both; touchline up and demo do this by themselves.
Of existing topics it sets what nobody chose or a topic needs, and gives an empty one its partitions; it refuses where records may be
lost already, and creates none in the place of one that was lost. docs/reference/topics.md lists the topics. Warns when the number of
replicas is unsafe.`,
  examples: ['topics', 'topics --print'],
});

export const command = order(definition, ({ print }) => print !== true)
  .option(
    '--replication-factor <n>',
    'replicas of each partition of a new topic; default: TOPIC_REPLICATION_FACTOR, else one per broker, at most three',
    parseCount(),
  )
  .option(
    '--min-in-sync <n>',
    'replicas that must have a record before it counts as written; default: TOPIC_MIN_IN_SYNC_REPLICAS, else two of three, else one',
    parseCount(),
  )
  .option(
    '--partitions <n>',
    `partitions of new topics of a match, the same number for all of them; default: TOPIC_PARTITIONS, else that of existing ones, else ${TOPICS['match-state'].partitions}`,
    parseCount(),
  )
  .option(
    '--accept <topics>',
    'topics that were lost, separated by commas, or all: creates those that are missing, and continues with the records that the others have now',
  )
  .option('--print', 'only prints the commands of kafka-topics.sh, for an operator who may create topics');
