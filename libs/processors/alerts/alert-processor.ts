/** The alert processor: publishes the alerts of the rules, each once; docs/decisions/0088. */
import { z } from 'zod';
import { readPositions, topicBounds } from '#cluster/logs.ts';
import type { Alert } from '#records/types.ts';
import { processorSettings } from '#service/config.ts';
import { openProcessor } from '#service/run-processor.ts';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import { closingReads } from '#topics/closing-topics.ts';
import { follow } from '#topics/follow.ts';
import { applicationOf } from '#topics/processors.ts';
import { ALERT_TOPICS, AlertPartition } from './alert-partition.ts';
import { KnownMatches } from './known-matches.ts';
import type { AlertRule } from './rules.ts';
import { findAlerts, leadStaleAlerts, watchEpisodes } from './stale-alerts.ts';

/** Settings of the processor. Its rules come from the command that starts it. */
export const settings = z.object(processorSettings);

type AlertProcessorContext = Pick<
  ServiceContext<z.output<typeof settings>>,
  'config' | 'logger' | 'metrics' | 'signal' | 'fail'
>;

type AlertOptions = {
  readonly rules: readonly AlertRule[];
  /** Maximum age of the cause of an alert, milliseconds; null: `MAX_AGE_MS`, and on the first start from now on. */
  readonly maxAgeMs: number | null;
  /** Called after each commit with the receipt of the message behind each published alert, Unix milliseconds. */
  readonly onPublished?: ((receivedAt: readonly number[]) => void) | undefined;
};

/** Maximum age of the cause of an alert by default, milliseconds. */
const MAX_AGE_MS = 86_400_000;

/**
 * Returns a function that returns the earliest receipt of a message that causes alerts, Unix milliseconds. The first start
 * reads all transitions, for none of their alerts. `begun`: when the process started.
 */
export function earliestReceipt(
  {
    given,
    isFirst,
    begun,
  }: { readonly given: number | null; readonly isFirst: boolean; readonly begun: number },
  now: () => number,
): () => number {
  if (given === null && isFirst) return () => begun;
  return () => now() - (given ?? MAX_AGE_MS);
}

/** An open processor. It publishes nothing until it is started. */
export type AlertProcessor = Awaited<ReturnType<typeof openAlertProcessor>>;

/** Opens a processor with these rules. Rejects with the errors of `openProcessor`. */
export async function openAlertProcessor(context: AlertProcessorContext, options: AlertOptions) {
  const { rules, maxAgeMs: given, onPublished = () => {} } = options;
  const maxAgeMs = given ?? MAX_AGE_MS;
  const begun = Date.now();
  const { config, logger: log, fail: onFenced } = context;
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const open = await openProcessor('alert-processor', context, ALERT_TOPICS);
  const { codecs, client, registry, topicName } = open;
  const matches = new KnownMatches();
  const source = { brokers, prefix, registry };
  const known = Promise.withResolvers<void>();
  const watched = { rules, maxAgeMs, matches };
  return {
    client,
    source,
    topicName,
    /** Follows matches, feed health and halts by hand until `signal` is aborted, for `watch` and `start`. Rejects as `follow`. */
    async read(signal: AbortSignal): Promise<void> {
      const closing = closingReads(prefix, matches);
      await follow(['match-state', 'feed-health', 'trading-halts'], source, {
        ...closing.options,
        reader: 'touchline-alerts',
        signal,
        onCaughtUp: known.resolve,
        onRecord(record) {
          if (record.topic === 'match-state') matches.apply(Number(record.key), record.value);
          else closing.apply(record);
        },
      }).finally(known.resolve);
    },
    /**
     * Watches the feed status of every match with this process's clock, even while no broker answers. Resolves, once all
     * existing records are read, to a function that returns the alerts of the changes since its last call.
     */
    async watch(): Promise<() => Alert[]> {
      await known.promise;
      const episodes = watchEpisodes(rules);
      // The initial state is no change. The leader publishes the alerts of it that are not published yet.
      findAlerts(watched, episodes);
      return () => findAlerts(watched, episodes);
    },
    /**
     * Publishes alerts until `stop`; `ready`: whether it holds its partitions and takes part in the lead. Rejects with the errors
     * of `runStream`.
     */
    async start(): Promise<RunningService> {
      const latest = (eventId: number) => matches.latest(eventId);
      const application = applicationOf(prefix, 'alert-processor');
      const published = await topicBounds({ brokers, clientId: application }, [topicName('alerts')]);
      // With alerts and no position, the positions were lost: an alert may have been missed since.
      const isFirst =
        published.every(({ start, end }) => start === end) &&
        (await readPositions({ brokers, application })).size === 0;
      const since = earliestReceipt({ given, isFirst, begun }, Date.now);
      const stream = await open.run(
        (partition, partitions) =>
          new AlertPartition({
            partition,
            partitions,
            codecs,
            topicName,
            rules,
            latest,
            since,
            onPublished,
          }),
      );
      const stale = leadStaleAlerts({
        ...watched,
        known: known.promise,
        ...source,
        client,
        codecs,
        topicName,
        sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
        instanceId: config.GROUP_INSTANCE_ID,
        log,
        onFenced,
        onPublished,
      });
      const stop = async (): Promise<void> => {
        await stale.stop();
        await stream.stop();
      };
      await stale.start().catch(async (error: unknown) => {
        await stop();
        throw error;
      });
      return { ready: () => stream.ready() && stale.joined, stop };
    },
  };
}
