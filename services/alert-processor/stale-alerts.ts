/** Publishes that matches become stale or recover: docs/decisions/0088. */
import { Leadership, type LeadershipOptions, type Term } from '#service/leadership.ts';
import { type OutputRecord, partitionHash, type StreamClient } from '#streams/client/port.ts';
import { machineClock } from '#timing/clock.ts';
import type { Alert } from '#topics/generated/types.ts';
import { ALERT_HEALTH } from '#topics/processors.ts';
import { readValues, type TopicSource } from '#topics/read-values.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import { alertsOf, webhookMessageOf } from './alert.ts';
import type { KnownMatches } from './match-facts.ts';
import type { MatchFeeds } from './match-feeds.ts';
import type { AlertRule } from './rules.ts';
import { LOOK_EVERY_MS, Withdrawals } from './withdrawals.ts';

/** What alerts of feeds are made from. */
export type FeedAlertSource = {
  readonly rules: readonly AlertRule[];
  readonly matches: KnownMatches;
  readonly feeds: MatchFeeds;
  /** Nothing is published of what began longer ago, milliseconds. */
  readonly maxAgeMs: number;
};

export type StaleAlertsOptions = FeedAlertSource &
  TopicSource &
  Pick<LeadershipOptions, 'sessionTimeoutMs' | 'instanceId' | 'onFenced' | 'log'> & {
    readonly codecs: CodecsOf<'alerts' | 'webhook-messages'>;
    /** Name of a topic on the broker. */
    readonly topicName: NameTopic;
    readonly client: StreamClient;
  };

/** One process of all leads; its producer fences the one before. */
export function leadStaleAlerts(options: StaleAlertsOptions): Leadership {
  const { prefix, client, topicName } = options;
  return new Leadership({
    ...options,
    openMember: (member) => client.openGroupMember(member),
    group: `${prefix}${ALERT_HEALTH}`,
    topic: topicName('feed-health'),
    clock: machineClock,
    lead: (term) => runTerm(options, term),
    onChange: () => {},
  });
}

/** Publishes until the term is over. What was published before is read back first: no one else can publish any more. */
async function runTerm(options: StaleAlertsOptions, { signal }: Term): Promise<void> {
  const { prefix, client, topicName } = options;
  const partitions = await client.partitionCount(topicName('webhook-messages'));
  const producer = await client.openProducer({
    transactionalId: `${prefix}${ALERT_HEALTH}`,
    own: [],
    shared: [
      { topic: topicName('alerts'), partition: 0 },
      ...Array.from({ length: partitions }, (_, partition) => ({
        topic: topicName('webhook-messages'),
        partition,
      })),
    ],
    // Nothing but a broker with KAFKA-20734 asks.
    lastCommitted: async () => null,
    signal,
  });
  try {
    const published = new Set<string>();
    /** Matches that are reported as stale, with the time since. */
    const stale = new Map<number, number>();
    const apply = (_: string, alert: Alert | null): void => {
      if (alert === null) return;
      const { id, kind, event_id } = alert;
      published.add(id);
      if (kind === 'match_stale') stale.set(event_id, Number(id.slice(id.lastIndexOf('/') + 1)));
      else if (kind === 'match_recovered') stale.delete(event_id);
    };
    await readValues('alerts', options, apply, signal);
    await options.feeds.known();
    const withdrawals = new Withdrawals(stale);
    while (!signal.aborted) {
      const fresh = findAlerts(options, withdrawals).filter(({ id }) => !published.has(id));
      if (fresh.length > 0) {
        await producer.transact(fresh.flatMap((alert) => recordsOf(options, alert, partitions)));
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
  { rules, matches, feeds, maxAgeMs }: FeedAlertSource,
  withdrawals: Withdrawals,
): Alert[] {
  const now = Date.now();
  return withdrawals.changes(feeds.now()).flatMap(({ kind, eventId, since, reasons }) => {
    if (since < now - maxAgeMs) return [];
    const ut = Math.floor((kind === 'match_stale' ? since : now) / 1000);
    const cause = { event_id: eventId, of: `${eventId}/${since}`, version: null, ut, received_at: now };
    const finding = { kind, incident_id: null, score: null, score_before: null, reasons };
    return alertsOf(rules, finding, cause, matches.latest(eventId));
  });
}

function recordsOf(
  { codecs, topicName }: StaleAlertsOptions,
  alert: Alert,
  partitions: number,
): OutputRecord[] {
  const key = String(alert.event_id);
  const partition = partitionHash(Buffer.from(key)) % partitions;
  const value = codecs['webhook-messages'].encode(webhookMessageOf(alert));
  return [
    { topic: topicName('alerts'), partition: 0, key, value: codecs.alerts.encode(alert) },
    { topic: topicName('webhook-messages'), partition, key, value },
  ];
}
