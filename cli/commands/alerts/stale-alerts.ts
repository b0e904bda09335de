/** Alerts of matches that no source keeps alive, from feed-health: docs/decisions/0088. */
import type { Brokers } from '#streams/client/brokers.ts';
import type { OutputRecord, StreamClient, TransactionalProducer } from '#streams/client/port.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import type { StreamError } from '#streams/errors.ts';
import { Leadership, type Term } from '#streams/leadership/leadership.ts';
import type { Logger } from '#streams/log.ts';
import { follow, type ReadRecord } from '#streams/read/follow.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import { machineClock } from '#timing/clock.ts';
import type { Alert, FeedHealth } from '#topics/generated/types.ts';
import { ALERT_HEALTH } from '#topics/processors.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { alertsOf, webhookMessageOf } from './alert.ts';
import type { MatchFacts } from './match-facts.ts';
import type { AlertRule } from './rules.ts';
import { type StaleMatch, StaleMatches } from './stale-matches.ts';

export type StaleAlertsOptions = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
  readonly client: StreamClient;
  readonly rules: readonly AlertRule[];
  readonly matches: MatchFacts;
  /** Nothing is published of a record that was written longer ago, milliseconds. */
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
    const alerts = registry.decoder('alerts');
    const published = new Set<string>();
    await readTopic({
      brokers,
      topic: named('alerts'),
      fromBeginning: true,
      untilEnd: true,
      signal,
      onRecord: async ({ value }) => {
        if (value !== null) published.add((await alerts.decode(value)).id);
      },
    });
    // Without them no filter fits.
    await options.matches.caughtUp;
    const term = new StaleTerm(options, { producer, partitions, published });
    const health = registry.decoder('feed-health');
    await follow({
      brokers,
      reader: 'touchline-alerts',
      topics: [named('feed-health')],
      signal,
      onBatch: async ({ records }) => {
        const decoded: [ReadRecord, FeedHealth | null][] = [];
        for (const record of records)
          decoded.push([record, record.value === null ? null : await health.decode(record.value)]);
        await term.apply(decoded);
      },
    });
  } finally {
    await producer.close();
  }
}

type TermState = {
  readonly producer: TransactionalProducer;
  /** Of webhook-messages. */
  readonly partitions: number;
  /** Ids of all alerts. */
  readonly published: Set<string>;
};

class StaleTerm {
  readonly #options: StaleAlertsOptions;
  readonly #state: TermState;
  readonly #stale = new StaleMatches();

  constructor(options: StaleAlertsOptions, state: TermState) {
    this.#options = options;
    this.#state = state;
  }

  /** Applies records in their order, and publishes what is new in one transaction. */
  async apply(records: readonly (readonly [ReadRecord, FeedHealth | null])[]): Promise<void> {
    const { producer, published } = this.#state;
    const fresh = new Map<string, Alert>();
    for (const [{ key }, value] of records) {
      const stale = this.#stale.apply(String(key), value);
      if (stale === null) continue;
      for (const alert of this.#alertsOf(stale)) if (!published.has(alert.id)) fresh.set(alert.id, alert);
    }
    if (fresh.size === 0) return;
    const written = await Promise.all([...fresh.values()].map((alert) => this.#recordsOf(alert)));
    await producer.transact(written.flat());
    for (const id of fresh.keys()) published.add(id);
  }

  #alertsOf({ eventId, since, reasons, writtenAt }: StaleMatch): readonly Alert[] {
    const { rules, matches, maxAgeMs } = this.#options;
    if (writtenAt < Date.now() - maxAgeMs) return [];
    const cause = {
      eventId,
      of: `${eventId}/${since}`,
      version: null,
      ut: Math.floor(since / 1000),
      receivedAt: writtenAt,
    };
    const finding = { kind: 'match_stale', incident_id: null, score: null, reasons } as const;
    return alertsOf(rules, finding, cause, matches.latest(eventId));
  }

  async #recordsOf(alert: Alert): Promise<OutputRecord[]> {
    const { prefix, registry } = this.#options;
    const codecs = await registry.codecs(['alerts', 'webhook-messages']);
    const key = String(alert.event_id);
    const partition = partitionHash(Buffer.from(key)) % this.#state.partitions;
    const value = codecs['webhook-messages'].encode(webhookMessageOf(alert));
    return [
      { topic: topicName(prefix, 'alerts'), partition: 0, key, value: codecs.alerts.encode(alert) },
      { topic: topicName(prefix, 'webhook-messages'), partition, key, value },
    ];
  }
}
