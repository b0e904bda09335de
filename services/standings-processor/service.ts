import { FLAG_REASONS } from '#domain/standings/games.ts';
import {
  StandingsPartition,
  type StandingsPartitionOptions,
  VALUES,
} from '#processors/standings/standings-partition.ts';
import { OWN_RULES, readRules } from '#service/competition-rules.ts';
import { metersOf } from '#service/meters.ts';
import { runProcessor } from '#service/run-processor.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { stageLatencies } from '#service/stage-latency.ts';
import { settings } from './config.ts';

const NAME = 'standings-processor';

/** The service that derives tables, with a task for each partition of match-results. */
export const standingsProcessor: ServiceDefinition<typeof settings> = {
  name: NAME,
  about: 'Turns match results into tables, exactly once.',
  config: settings,
  async start(context) {
    const rulesOf = readRules(context.config.RULES_DIR || OWN_RULES);
    const flagged = metersOf(context.metrics).gauge(
      'touchline_standings_flagged_matches',
      'Matches of which something could not be counted in tables, by reason.',
      'partition',
      'reason',
    );
    const { received_to_standings } = stageLatencies(context.metrics, ['received_to_standings']);
    const onCommitted: StandingsPartitionOptions['onCommitted'] = (receivedAt) => {
      const committedAt = Date.now();
      for (const at of receivedAt) received_to_standings(committedAt - at);
    };
    return runProcessor(NAME, context, VALUES, ({ codecs, topicName }, partition, partitions) => {
      const onFlags: StandingsPartitionOptions['onFlags'] = (counts) => {
        for (const reason of FLAG_REASONS) flagged.set({ partition, reason }, counts.get(reason) ?? 0);
      };
      return new StandingsPartition({
        partition,
        partitions,
        codecs,
        topicName,
        rulesOf,
        onFlags,
        onCommitted,
      });
    });
  },
};
