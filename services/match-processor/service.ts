import type { Registry } from 'prom-client';
import { MATCH_FLAGS, VALUES } from '#processors/match/loaded-match.ts';
import { MatchPartition, type MatchPartitionOptions } from '#processors/match/match-partition.ts';
import { WEBHOOK_TOPICS, WebhookComposer } from '#processors/match/webhook-messages.ts';
import { metersOf } from '#service/meters.ts';
import { runProcessor } from '#service/run-processor.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { stageLatencies } from '#service/stage-latency.ts';
import { settings } from './config.ts';

const NAME = 'match-processor';

/** The service that derives match state by the laws, with a task for each partition of normalized-messages. */
export const matchProcessor: ServiceDefinition<typeof settings> = {
  name: NAME,
  about:
    'Turns normalized messages into match state, incidents, transitions, results and webhook messages, exactly once.',
  config: settings,
  start(context) {
    const observe = commitMetrics(context.metrics, Date.now);
    const { MAX_LOADED_MATCHES: maxLoaded, COMPOSE_WEBHOOKS } = context.config;
    const values = [...VALUES, ...WEBHOOK_TOPICS] as const;
    return runProcessor(NAME, context, values, ({ codecs, topicName }, partition, partitions) => {
      return new MatchPartition({
        partition,
        partitions,
        codecs,
        topicName,
        maxLoaded,
        webhooks:
          COMPOSE_WEBHOOKS === 'on' ? new WebhookComposer({ codecs, topicName, now: Date.now }) : undefined,
        onCommitted: observe(partition),
      });
    });
  },
};

/** Registers the metrics of commits. Returns a function that adds a commit. `now`: Unix milliseconds. */
export function commitMetrics(
  registry: Registry,
  now: () => number,
): (partition: number) => NonNullable<MatchPartitionOptions['onCommitted']> {
  const { received_to_state } = stageLatencies(registry, ['received_to_state']);
  const matches = metersOf(registry).gauge(
    'touchline_flagged_matches',
    'Matches in memory that are wrong, or cannot be judged in full, by reason.',
    'partition',
    'reason',
  );
  return (partition) =>
    ({ receivedAt, flagged }) => {
      const committedAt = now();
      for (const at of receivedAt) received_to_state(committedAt - at);
      for (const reason of MATCH_FLAGS) matches.set({ partition, reason }, flagged[reason]);
    };
}
