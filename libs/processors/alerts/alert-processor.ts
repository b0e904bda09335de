/** The alert processor: publishes the alerts of the rules, each once; docs/decisions/0088. */
import { z } from 'zod';
import { readPositions, topicBounds } from '#cluster/logs.ts';
import type { Alert } from '#records/types.ts';
import { processorSettings } from '#service/config.ts';
import { openProcessor } from '#service/run-processor.ts';
import type { RunningService, ServiceContext } from '#service/run-service.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { closingReads } from '#topics/closing-topics.ts';
import { decodeInput, fetchSchemas, identify } from '#topics/codec.ts';
import { versionWentBack } from '#topics/errors.ts';
import { follow } from '#topics/follow.ts';
import { applicationOf } from '#topics/processors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { wentBack } from '#trading/trading.ts';
import { type OwnPartition, requireOwnPartition } from '../own-partition.ts';
import { alertsOf, type KnownMatch, webhookMessageOf } from './alert.ts';
import { findingsOf } from './decide.ts';
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

/** Returns a function that returns the earliest receipt of a message that causes alerts, Unix milliseconds; at the first start, from `begun`. */
export function earliestReceipt(
  given: number | null,
  isFirst: boolean,
  begun: number,
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
  const shared = { rules, codecs, topicName };
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
    /** Publishes alerts until `stop`; `ready`: whether it holds its partitions and takes part in the lead. Rejects as `runStream`. */
    async start(): Promise<RunningService> {
      const latest = (eventId: number) => matches.latest(eventId);
      const application = applicationOf(prefix, 'alert-processor');
      const published = await topicBounds({ brokers, clientId: application }, [topicName('alerts')]);
      // With alerts and no position, the positions were lost: an alert may have been missed since.
      const isFirst =
        published.every(({ start, end }) => start === end) &&
        (await readPositions({ brokers, application })).size === 0;
      const since = earliestReceipt(given, isFirst, begun, Date.now);
      const stream = await open.run(
        (partition, partitions) =>
          new AlertPartition({ ...shared, partition, partitions, latest, since, onPublished }),
      );
      const stale = leadStaleAlerts({
        ...watched,
        known: known.promise,
        ...source,
        ...shared,
        client,
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

/** The input and output topics. */
const ALERT_TOPICS = ['match-transitions', 'alerts', 'webhook-messages'] as const;

type AlertPartitionOptions = OwnPartition & {
  readonly codecs: CodecsOf<(typeof ALERT_TOPICS)[number]>;
  readonly topicName: NameTopic;
  readonly rules: readonly AlertRule[];
  /** Returns the last known state of a match; null where none was read yet. */
  readonly latest: (eventId: number) => KnownMatch | null;
  /** Returns the earliest receipt of a message that causes alerts, Unix milliseconds. */
  readonly since: () => number;
  /** Called after each commit with the receipt of the message behind each published alert, Unix milliseconds. */
  readonly onPublished: (receivedAt: readonly number[]) => void;
};

const ALERTS_PARTITION = 0;

/** Processes one partition of match-transitions: publishes the alerts of its matches. A transition says all that its alerts need. */
export class AlertPartition implements PartitionProcessor {
  readonly #options: AlertPartitionOptions;

  /** Receipts of the messages behind the alerts of the next commit, Unix milliseconds. */
  #receivedAt: number[] = [];

  constructor(options: AlertPartitionOptions) {
    this.#options = options;
  }

  restore(): void {}

  prepare(records: readonly ConsumedRecord[]): Promise<void> {
    return fetchSchemas(this.#options.codecs['match-transitions'], records);
  }

  process(record: ConsumedRecord, collector: RecordCollector): void {
    const { codecs, rules, topicName, latest, since } = this.#options;
    const transition = decodeInput(codecs['match-transitions'], record.value);
    const { id, event_id: eventId, version, cause, match } = transition;
    const key = String(eventId);
    requireOwnPartition(key, this.#options);
    const known = latest(eventId);
    if (known !== null && wentBack(known, transition))
      throw versionWentBack('match-transitions', known.version, transition);
    if (cause.received_at < since()) return;
    const wanted = findingsOf(transition).filter(({ kind }) => rules.some(({ on }) => on.includes(kind)));
    const alerts = wanted.flatMap((finding, nth) => {
      // Of several goals of one change, the first has the id that a single goal would have.
      const subject = nth > 0 && finding.kind === wanted[0]?.kind ? `${id}/${finding.incident?.id}` : id;
      const source = { event_id: eventId, subject, version, ut: cause.ut, received_at: cause.received_at };
      return alertsOf(rules, finding, source, match);
    });
    for (const alert of alerts) {
      collector.add(topicName('alerts'), key, codecs.alerts.encode(alert), ALERTS_PARTITION);
      const message = codecs['webhook-messages'].encode(webhookMessageOf(alert));
      collector.add(topicName('webhook-messages'), key, message);
      this.#receivedAt.push(alert.received_at);
    }
  }

  committed(): void {
    this.#options.onPublished(this.#receivedAt.splice(0));
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identify(this.#options.codecs['match-transitions'], value);
  }

  size(): number {
    return 0;
  }

  close(): void {}
}
