import { fileURLToPath } from 'node:url';
import { Gauge } from 'prom-client';
import { z } from 'zod';
import { FLAG_REASONS } from '#domain/standings/games.ts';
import { groupSettings, inputSettings, kafkaSettings, processSettings } from '#service/config.ts';
import { giveMemoryBack, PROCESSOR_LIMITS } from '#service/memory.ts';
import { runService } from '#service/run-service.ts';
import { warnOfBrokerDefects } from '#streams/client/platformatic/broker-defects.ts';
import { openDeadLetters } from '#streams/runtime/dead-letter.ts';
import { runStream } from '#streams/runtime/stream.ts';
import { streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { readRules } from './rules.ts';
import { type StandingsCodecs, StandingsPartition } from './standings-partition.ts';

const NAME = 'standings-processor';
const OWN_RULES = fileURLToPath(new URL('../../data/rules/', import.meta.url));

const config = z.object({
  ...processSettings,
  ...kafkaSettings,
  ...groupSettings,
  ...inputSettings,
  RULES_DIR: z
    .string()
    .default('')
    .describe(
      'Folder of the competitions’ rules, a JSON file each, default.json for all others; empty: data/rules of this program. Read at the start.',
    ),
});

giveMemoryBack(PROCESSOR_LIMITS);
await runService({
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
    const flagged = new Gauge({
      name: 'touchline_standings_flagged_matches',
      help: 'Matches of which something could not be counted in tables, by reason.',
      labelNames: ['partition', 'reason'],
      registers: [metrics],
    });
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
});
