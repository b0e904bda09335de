/** The alert processor: publishes what rules ask for, each once; docs/decisions/0088. */
import { z } from 'zod';
import { processorSettings } from '#service/config.ts';
import { openProcessor } from '#service/run-processor.ts';
import type { ServiceContext } from '#service/run-service.ts';
import type { Alert } from '#topics/generated/types.ts';
import { ALERT_TOPICS, AlertPartition } from './alert-partition.ts';
import { KnownMatches } from './match-facts.ts';
import { MatchFeeds } from './match-feeds.ts';
import type { AlertRule } from './rules.ts';
import { findAlerts, leadStaleAlerts } from './stale-alerts.ts';
import { Withdrawals } from './withdrawals.ts';

/** The configuration of the processor; its rules are those of the command that starts it. */
export const settings = z.object(processorSettings);

type AlertProcessorContext = Pick<
  ServiceContext<z.output<typeof settings>>,
  'config' | 'logger' | 'metrics' | 'fail'
>;

type Rules = {
  readonly rules: readonly AlertRule[];
  /** Nothing is published of what was received longer ago, milliseconds. */
  readonly maxAgeMs: number;
};

/** A processor that is open: it publishes nothing until it is started. */
export type AlertProcessor = Awaited<ReturnType<typeof openAlertProcessor>>;

/** Opens a processor of these rules: it publishes nothing until it is started. Rejects as `openProcessor`. */
export async function openAlertProcessor(context: AlertProcessorContext, { rules, maxAgeMs }: Rules) {
  const { config, logger: log, fail: onFenced } = context;
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const open = await openProcessor('alert-processor', context, ALERT_TOPICS);
  const { codecs, client, registry, topicName } = open;
  const source = { brokers, prefix, registry, reader: 'touchline-alerts' };
  const matches = new KnownMatches(source);
  const feeds = new MatchFeeds(matches, source);
  const watched = { rules, maxAgeMs, matches, feeds };
  return {
    client,
    codecs,
    topicName,
    /** Follows matches and feed health until `signal` is aborted; runs as long as it is started. Rejects as `follow`. */
    async read(signal: AbortSignal): Promise<void> {
      await Promise.all([matches.follow(signal), feeds.follow(signal)]);
    },
    /**
     * Looks at the feed status of every match by this process's own clock, also while no broker answers; resolves, once all is known, to a
     * function that gives the alerts of what changed since its last call. What is so at the start is no change.
     */
    async watch(): Promise<() => Alert[]> {
      await feeds.known();
      const withdrawals = new Withdrawals();
      // The leader publishes what is so at the start where that is not done yet.
      findAlerts(watched, withdrawals);
      return () => findAlerts(watched, withdrawals);
    },
    /** Publishes alerts until `stop`. Rejects as `runStream`. */
    async start(): Promise<{ stop(): Promise<void> }> {
      const matchAt = (eventId: number, version: number) => matches.at(eventId, version);
      const stream = await open.run(
        () => new AlertPartition({ codecs, topicName, rules, matchAt, maxAgeMs, now: Date.now }),
      );
      const stale = leadStaleAlerts({
        ...watched,
        brokers,
        prefix,
        registry,
        client,
        codecs,
        topicName,
        sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
        instanceId: config.GROUP_INSTANCE_ID,
        log,
        onFenced,
      });
      const stop = async (): Promise<void> => {
        await stale.stop();
        await stream.stop();
      };
      await stale.start().catch(async (error: unknown) => {
        await stop();
        throw error;
      });
      return { stop };
    },
  };
}
