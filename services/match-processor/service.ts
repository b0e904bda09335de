import type { ServiceDefinition } from '#service/run-service.ts';
import { warnOfBrokerDefects } from '#streams/client/platformatic/broker-defects.ts';
import { openDeadLetters } from '#streams/runtime/dead-letter.ts';
import { runStream } from '#streams/runtime/stream.ts';
import { streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { config } from './config.ts';
import type { MatchCodecs } from './match-codecs.ts';
import { MatchPartition } from './match-partition.ts';

const NAME = 'match-processor';

/** The service: the laws of match state, a task for each partition of normalized-messages. */
export const matchProcessor: ServiceDefinition<typeof config> = {
  name: NAME,
  about: 'Turns normalized messages into match state, incidents, transitions and results, exactly once.',
  config,
  async start({ config: settings, logger, metrics }) {
    // Not waited for: no start depends on it.
    void warnOfBrokerDefects(settings.KAFKA_BROKERS, logger);
    const prefix = settings.TOPIC_PREFIX;
    const named = (topic: TopicName) => topicName(prefix, topic);
    const registry = Registry.open({ url: settings.SCHEMA_REGISTRY_URL, prefix });
    const codecs: MatchCodecs = {
      'normalized-messages': await registry.codec('normalized-messages'),
      'match-incidents': await registry.codec('match-incidents'),
      'match-state': await registry.codec('match-state'),
      'match-transitions': await registry.codec('match-transitions'),
      'match-results': await registry.codec('match-results'),
    };
    const deadLetter = await openDeadLetters(registry, {
      prefix,
      service: NAME,
      input: 'normalized-messages',
      now: Date.now,
    });
    return runStream({
      brokers: settings.KAFKA_BROKERS,
      ...streamTopics(prefix, NAME),
      createProcessor: (partition) =>
        new MatchPartition({
          partition,
          codecs,
          topicName: named,
          keepLoadedMs: settings.KEEP_LOADED_SECONDS * 1_000,
          maxLoaded: settings.MAX_LOADED_MATCHES,
        }),
      deadLetter,
      log: logger,
      metrics,
      sessionTimeoutMs: settings.SESSION_TIMEOUT_MS,
      onLostInput: settings.ON_LOST_INPUT,
    });
  },
};
