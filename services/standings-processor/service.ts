import { fileURLToPath } from 'node:url';
import { FLAG_REASONS } from '#domain/standings/games.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { warnOfBrokerDefects } from '#streams/client/platformatic/broker-defects.ts';
import { openDeadLetters } from '#streams/runtime/dead-letter.ts';
import { runStream } from '#streams/runtime/stream.ts';
import { streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { config } from './config.ts';
import { flaggedMatches } from './metrics.ts';
import { readRules } from './rules.ts';
import { type StandingsCodecs, StandingsPartition } from './standings-partition.ts';

const NAME = 'standings-processor';
const OWN_RULES = fileURLToPath(new URL('../../data/rules/', import.meta.url));

/** The service: the tables, a task for each partition of match-results. */
export const standingsProcessor: ServiceDefinition<typeof config> = {
  name: NAME,
  about: 'Turns match results into tables, exactly once.',
  config,
  async start({ config: settings, logger, metrics }) {
    const rulesOf = readRules(settings.RULES_DIR || OWN_RULES);
    // Not waited for: no start depends on it.
    void warnOfBrokerDefects(settings.KAFKA_BROKERS, logger);
    const prefix = settings.TOPIC_PREFIX;
    const named = (topic: TopicName) => topicName(prefix, topic);
    const registry = Registry.open({ url: settings.SCHEMA_REGISTRY_URL, prefix });
    const codecs: StandingsCodecs = {
      'match-results': await registry.codec('match-results'),
      'standings-results': await registry.codec('standings-results'),
      'standings-catalogue': await registry.codec('standings-catalogue'),
      standings: await registry.codec('standings'),
    };
    const deadLetter = await openDeadLetters(registry, {
      prefix,
      service: NAME,
      input: 'match-results',
      now: Date.now,
    });
    const flagged = flaggedMatches(metrics);
    return runStream({
      brokers: settings.KAFKA_BROKERS,
      ...streamTopics(prefix, NAME),
      createProcessor: (partition) =>
        new StandingsPartition({
          partition,
          codecs,
          topicName: named,
          rulesOf,
          onFlags: (counts) => {
            for (const reason of FLAG_REASONS) flagged.set({ partition, reason }, counts.get(reason) ?? 0);
          },
        }),
      deadLetter,
      log: logger,
      metrics,
      sessionTimeoutMs: settings.SESSION_TIMEOUT_MS,
      onLostInput: settings.ON_LOST_INPUT,
    });
  },
};
