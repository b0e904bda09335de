/** Alerts of matches that no source keeps alive, from feed-health: docs/decisions/0088. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OutputRecord, StreamClient, TransactionalProducer } from '#streams/client/port.ts';
import { partitionHash } from '#streams/client/produce-batches.ts';
import { Leadership, type Term } from '#streams/leadership/leadership.ts';
import type { Logger } from '#streams/log.ts';
import { follow, type ReadRecord } from '#streams/read/follow.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import type { Alert, FeedHealth } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { alertsOf, type KnownMatch, webhookMessageOf } from './alert.ts';
import type { AlertRule } from './rules.ts';

export type StaleAlertsOptions = {
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly registry: Registry;
  readonly client: StreamClient;
  readonly rules: readonly AlertRule[];
  /** A match as latest known. */
  readonly match: (eventId: number) => KnownMatch;
  /** Nothing is published of a record that was written longer ago, milliseconds. */
  readonly maxAgeMs: number;
  readonly sessionTimeoutMs: number;
  readonly log: Logger;
};

const GROUP = 'alert-health';
const DEAD: ReadonlySet<string> = new Set(['stale', 'down']);
const GOOD: ReadonlySet<string> = new Set(['alive', 'recovered']);

/** One process of all leads; its producer fences the one before. */
export function leadStaleAlerts(options: StaleAlertsOptions): Leadership {
  const { prefix, client, sessionTimeoutMs, log } = options;
  return new Leadership({
    openMember: (member) => client.openGroupMember(member),
    group: `${prefix}${GROUP}`,
    topic: topicName(prefix, 'feed-health'),
    sessionTimeoutMs,
    clock: {
      monotonic: () => performance.now(),
      sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
    },
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
    transactionalId: `${prefix}${GROUP}`,
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
      ...{ brokers, topic: named('alerts'), fromBeginning: true, untilEnd: true, signal },
      onRecord: async ({ value }) => {
        if (value !== null) published.add((await alerts.decode(value)).id);
      },
    });
    const term = new StaleTerm(options, { producer, partitions, published });
    const health = registry.decoder('feed-health');
    await follow({
      ...{ brokers, reader: 'touchline-alerts', topics: [named('feed-health')], signal },
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
  /** By event, then by source. */
  readonly #matches = new Map<number, Map<string, FeedHealth>>();

  constructor(options: StaleAlertsOptions, state: TermState) {
    this.#options = options;
    this.#state = state;
  }

  /** Applies records in their order, and publishes what is new in one transaction. */
  async apply(records: readonly (readonly [ReadRecord, FeedHealth | null])[]): Promise<void> {
    const { producer, published } = this.#state;
    const alerts = records.flatMap(([{ key }, value]) => this.#apply(String(key), value));
    const fresh = [...new Map(alerts.map((alert) => [alert.id, alert])).values()].filter(
      ({ id }) => !published.has(id),
    );
    if (fresh.length === 0) return;
    await producer.transact((await Promise.all(fresh.map((alert) => this.#recordsOf(alert)))).flat());
    for (const { id } of fresh) published.add(id);
  }

  #apply(key: string, value: FeedHealth | null): readonly Alert[] {
    const slash = key.lastIndexOf('/');
    if (slash === -1) return [];
    const eventId = Number(key.slice(slash + 1));
    const sources = this.#matches.get(eventId) ?? new Map<string, FeedHealth>();
    this.#matches.set(eventId, sources);
    if (value === null) sources.delete(key.slice(0, slash));
    else sources.set(value.source, value);
    if (sources.size === 0) this.#matches.delete(eventId);
    return value === null || !DEAD.has(value.state)
      ? []
      : this.#alertsOf(eventId, value, [...sources.values()]);
  }

  /** A match is stale where no source keeps it alive; since when is the same whichever record says so. */
  #alertsOf(eventId: number, value: FeedHealth, sources: readonly FeedHealth[]): readonly Alert[] {
    const { rules, match, maxAgeMs } = this.#options;
    if (value.written_at < Date.now() - maxAgeMs) return [];
    if (sources.some(({ state }) => GOOD.has(state))) return [];
    const last = sources.filter(({ state }) => DEAD.has(state)).sort((a, b) => b.since - a.since)[0] ?? value;
    const reasons = [last.state, ...(last.reason === null ? [] : [last.reason])];
    const cause = {
      ...{ eventId, of: `${eventId}/${last.since}`, version: null },
      ...{ ut: Math.floor(last.since / 1000), receivedAt: last.written_at },
    };
    const finding = { kind: 'match_stale', incident_id: null, score: null, reasons } as const;
    return alertsOf(rules, finding, cause, match(eventId));
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
