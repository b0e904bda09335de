import { defineCommand, order } from '../../command.ts';
import { parseCount } from '../option-values.ts';

export const command = order(
  defineCommand('topics', {
    about: `Creates every missing topic and registers all schemas; touchline up and demo do this by themselves. Of existing topics
it sets what nobody chose or a topic needs; it refuses where records may be lost already, and creates none in the place of one that was
lost. Defaults: TOPIC_REPLICATION_FACTOR, TOPIC_MIN_IN_SYNC_REPLICAS, TOPIC_PARTITIONS (docs/reference/topics.md).`,
    examples: ['topics', 'topics --print'],
  }),
  ({ print }) => print !== true,
)
  .option('--replication-factor <n>', 'of new topics; default: one per broker, at most three', parseCount())
  .option(
    '--min-in-sync <n>',
    'replicas that must have a record; default: two of three, else one',
    parseCount(),
  )
  .option('--partitions <n>', 'of new topics of a match, the same number for all of them', parseCount())
  .option('--accept <topics>', 'lost topics, separated by commas, or all, to create and to continue without')
  .option('--print', 'only prints the commands of kafka-topics.sh, for an operator who may create topics');
