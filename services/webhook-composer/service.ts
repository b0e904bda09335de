import { runProcessor } from '#service/run-processor.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { COMPOSER_TOPICS, ComposerPartition } from './composer-partition.ts';
import { settings } from './config.ts';

const NAME = 'webhook-composer';
/** Limit of one read of the messages that caused transitions, bytes. */
const CAUSE_BYTES = 1024 * 1024;

/** The service: a task for each partition of match-transitions. */
export const webhookComposer: ServiceDefinition<typeof settings> = {
  name: NAME,
  about: 'Composes the webhook messages of every accepted change, exactly once.',
  config: settings,
  start: (context) =>
    runProcessor(NAME, context, COMPOSER_TOPICS, ({ codecs, client, topicName }, partition) => {
      const topic = topicName('normalized-messages');
      const causes = client.openReader({ topic, partition, maxBytes: CAUSE_BYTES });
      return new ComposerPartition({ codecs, topicName, causes, now: Date.now });
    }),
};
