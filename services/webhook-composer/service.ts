import { runProcessor } from '#service/run-processor.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { ComposerPartition, VALUES } from './composer-partition.ts';
import { settings } from './config.ts';

const NAME = 'webhook-composer';
/** Limit of one read of the messages behind transitions. */
const CAUSE_BYTES = 1024 * 1024;

/** The service: a task for each partition of match-transitions. */
export const webhookComposer: ServiceDefinition<typeof settings> = {
  name: NAME,
  about: 'Composes what clients are sent by webhook of every accepted change, exactly once.',
  config: settings,
  start: (context) =>
    runProcessor(NAME, context, VALUES, ({ codecs, client, topicName }, partition) => {
      const topic = topicName('normalized-messages');
      const causes = client.openReader({ topic, partition, maxBytes: CAUSE_BYTES });
      return new ComposerPartition({ codecs, topicName, causes, now: Date.now });
    }),
};
