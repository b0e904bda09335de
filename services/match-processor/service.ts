import { runProcessor } from '#service/run-processor.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { settings } from './config.ts';
import { VALUES } from './loaded-match.ts';
import { MatchPartition, type MatchPartitionOptions } from './match-partition.ts';
import { commitMetrics } from './metrics.ts';

const NAME = 'match-processor';

/** The service: the laws of match state, a task for each partition of normalized-messages. */
export const matchProcessor: ServiceDefinition<typeof settings> = {
  name: NAME,
  about: 'Turns normalized messages into match state, incidents, transitions and results, exactly once.',
  config: settings,
  start(context) {
    const observe = commitMetrics(context.metrics, Date.now);
    return runProcessor(NAME, context, VALUES, ({ codecs, topicName }, partition) => {
      const { KEEP_LOADED_SECONDS, MAX_LOADED_MATCHES: maxLoaded } = context.config;
      const keepLoadedMs = KEEP_LOADED_SECONDS * 1_000;
      const onCommitted: MatchPartitionOptions['onCommitted'] = (committed) => observe(partition, committed);
      return new MatchPartition({ partition, codecs, topicName, keepLoadedMs, maxLoaded, onCommitted });
    });
  },
};
