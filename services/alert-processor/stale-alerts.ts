/** Publishes that matches become stale or recover: docs/decisions/0088. */

import type { Brokers } from '#security/brokers.ts';
import { Leadership, type Term } from '#service/leadership.ts';
import { type OutputRecord, partitionHash, type StreamClient } from '#streams/client/port.ts';
import type { StreamError } from '#streams/errors.ts';
import type { Logger } from '#streams/log.ts';
import { machineClock } from '#timing/clock.ts';
import type { Alert } from '#topics/generated/types.ts';
import { ALERT_HEALTH } from '#topics/processors.ts';
import { readValues } from '#topics/read-values.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { webhookMessageOf } from './alert.ts';
import { feedAlertsOf, ReportedStale } from './feed-alerts.ts';
import type { KnownMatches } from './match-facts.ts';
import type { MatchFeeds } from './match-feeds.ts';
import type { AlertRule } from './rules.ts';
import { LOOK_EVERY_MS, Withdrawals } from './withdrawals.ts';

export type StaleAlertsOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
  readonly client: StreamClient;
  readonly rules: readonly AlertRule[];
  readonly matches: KnownMatches;
  readonly feeds: MatchFeeds;
  /** Nothing is published of what began longer ago, milliseconds. */
  readonly maxAgeMs: number;
  readonly sessionTimeoutMs: number;
  readonly instanceId: string;
  /** Called where another process has its instance id: this one must end. */
  readonly onFenced: (error: StreamError) => void;
  readonly log: Logger;
};

/** One process of all leads; its producer fences the one before. */
export function leadStaleAlerts(options: StaleAlertsOptions): Leadership {
  const { prefix, client, sessionTimeoutMs, instanceId, onFenced, log } = options;
  return new Leadership({
    openMember: (member) => client.openGroupMember(member),
    group: `${prefix}${ALERT_HEALTH}`,
    topic: topicName(prefix, 'feed-health'),
    sessionTimeoutMs,
    instanceId,
    onFenced,
    clock: machineClock,
    lead: (term) => runTerm(options, term),
    onChange: () => {},
    log,
  });
}

/** Publishes until the term is over. What was published before is read back first: no one else can publish any more. */
async function runTerm(options: StaleAlertsOptions, { signal }: Term): Promise<void> {
  const { brokers, prefix, registry, client } = options;
  const named = (topic: TopicName): string => topicName(prefix, topic);
  const partitions = await client.partitionCount(named('webhook-messages'));
  const producer = await client.openProducer({
    transactionalId: `${prefix}${ALERT_HEALTH}`,
    own: [],
    shared: [
      { topic: named('alerts'), partition: 0 },
      ...Array.from({ length: partitions }, (_, partition) => ({
        topic: named('webhook-messages'),
        partition,
      })),
    ],
    // Nothing but a broker with KAFKA-20734 asks.
    lastCommitted: async () => null,
    signal,
  });
  try {
    const published = new Set<string>();
    const stale = new ReportedStale();
    const apply = (_: string, alert: Alert | null): void => {
      if (alert === null) return;
      published.add(alert.id);
      stale.apply(alert);
    };
    await readValues('alerts', { brokers, prefix, registry }, apply, signal);
    await options.feeds.known();
    const withdrawals = new Withdrawals(stale.open);
    while (!signal.aborted) {
      const fresh = findAlerts(options, withdrawals).filter(({ id }) => !published.has(id));
      if (fresh.length > 0) {
        const written = await Promise.all(fresh.map((alert) => recordsOf(options, alert, partitions)));
        await producer.transact(written.flat());
        for (const { id } of fresh) published.add(id);
      }
      await machineClock.sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    await producer.close();
  }
}

/** The alerts of what changed since the last look. */
export function findAlerts(
  { rules, matches, feeds, maxAgeMs }: Pick<StaleAlertsOptions, 'rules' | 'matches' | 'feeds' | 'maxAgeMs'>,
  withdrawals: Withdrawals,
): Alert[] {
  const now = Date.now();
  const of = { rules, matches, now, notBefore: now - maxAgeMs };
  return withdrawals.changes(feeds.now()).flatMap((change) => feedAlertsOf(change, of));
}

async function recordsOf(
  { prefix, registry }: StaleAlertsOptions,
  alert: Alert,
  partitions: number,
): Promise<OutputRecord[]> {
  const codecs = await registry.codecs(['alerts', 'webhook-messages']);
  const key = String(alert.event_id);
  const partition = partitionHash(Buffer.from(key)) % partitions;
  const value = codecs['webhook-messages'].encode(webhookMessageOf(alert));
  return [
    { topic: topicName(prefix, 'alerts'), partition: 0, key, value: codecs.alerts.encode(alert) },
    { topic: topicName(prefix, 'webhook-messages'), partition, key, value },
  ];
}
