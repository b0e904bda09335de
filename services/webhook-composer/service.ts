import type { ServiceDefinition } from '#service/run-service.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { warnOfBrokerDefects } from '#streams/client/platformatic/broker-defects.ts';
import { openDeadLetters } from '#streams/runtime/dead-letter.ts';
import { runStream } from '#streams/runtime/stream.ts';
import { streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type ComposerCodecs, ComposerPartition } from './composer-partition.ts';
import { config } from './config.ts';

const NAME = 'webhook-composer';
/** Of one read of the messages that transitions came of. */
const CAUSE_BYTES = 1024 * 1024;

/** The service: a task for each partition of match-transitions. */
export const webhookComposer: ServiceDefinition<typeof config> = {
  name: NAME,
  about: 'Composes what clients are sent by webhook of every accepted change, exactly once.',
  config,
  async start({ config: settings, logger, metrics }) {
    // Not waited for: no start depends on it.
    void warnOfBrokerDefects(settings.KAFKA_BROKERS, logger);
    const prefix = settings.TOPIC_PREFIX;
    const named = (topic: TopicName) => topicName(prefix, topic);
    const registry = Registry.open({ url: settings.SCHEMA_REGISTRY_URL, prefix });
    const codecs: ComposerCodecs = {
      'match-transitions': await registry.codec('match-transitions'),
      'normalized-messages': await registry.codec('normalized-messages'),
      'webhook-messages': await registry.codec('webhook-messages'),
      'webhook-times': await registry.codec('webhook-times'),
    };
    const deadLetter = await openDeadLetters(registry, {
      prefix,
      service: NAME,
      input: 'match-transitions',
      now: Date.now,
    });
    const topics = streamTopics(prefix, NAME);
    const brokers = settings.KAFKA_BROKERS;
    const client = openStreamClient({ brokers, clientId: topics.application, log: logger });
    return runStream({
      ...{ brokers, client, ...topics },
      createProcessor: (partition) =>
        new ComposerPartition({
          codecs,
          topicName: named,
          causes: client.openReader({
            topic: named('normalized-messages'),
            partition,
            maxBytes: CAUSE_BYTES,
          }),
          now: Date.now,
        }),
      deadLetter,
      log: logger,
      metrics,
      sessionTimeoutMs: settings.SESSION_TIMEOUT_MS,
      onLostInput: settings.ON_LOST_INPUT,
    });
  },
};
