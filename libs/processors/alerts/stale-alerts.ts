/** Publishes alerts of matches that become stale or are halted by hand, and of the ends of both: docs/decisions/0088. */

import type { Alert } from '#records/types.ts';
import {
  type OutputRecord,
  partitionOfKey,
  partitionsUpTo,
  type StreamClient,
} from '#streams/client/port.ts';
import { Leadership, type LeadershipOptions, type LeadershipTerm } from '#streams/leadership.ts';
import { machineClock } from '#timing/clock.ts';
import { follow, type OpenTopics } from '#topics/follow.ts';
import { ALERT_HEALTH } from '#topics/processors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import type { ReaderLimits } from '#trading/feed-status.ts';
import { alertsOf, webhookMessageOf } from './alert.ts';
import type { KnownMatches } from './known-matches.ts';
import type { AlertRule } from './rules.ts';
import {
  EPISODE_KINDS,
  episodeKey,
  type OpenEpisodes,
  STALE_CHECK_MS,
  StaleMatches,
} from './stale-matches.ts';

type FeedAlertSource = {
  readonly rules: readonly AlertRule[];
  readonly matches: KnownMatches;
  /** Maximum age of the begin of a stale episode, milliseconds. */
  readonly maxAgeMs: number;
};

type StaleAlertsOptions = FeedAlertSource &
  OpenTopics &
  Pick<LeadershipOptions, 'sessionTimeoutMs' | 'instanceId' | 'onFenced' | 'log'> & {
    /** Resolves when all existing matches and feed health are read, or when reading ends. */
    readonly known: Promise<void>;
    readonly codecs: CodecsOf<'alerts' | 'webhook-messages'>;
    readonly topicName: NameTopic;
    readonly client: StreamClient;
    /** Called after each transaction with the time of each published alert, Unix milliseconds. */
    readonly onPublished: (receivedAt: readonly number[]) => void;
  };

/** Returns the leadership of stale alerts: one process leads and publishes; its producer fences the previous leader. */
export function leadStaleAlerts(options: StaleAlertsOptions): Leadership {
  const { prefix, topicName } = options;
  return new Leadership({
    ...options,
    group: `${prefix}${ALERT_HEALTH}`,
    topic: topicName('feed-health'),
    clock: machineClock,
    lead: (term) => runTerm(options, term),
  });
}

/** Publishes until the term ends. First reads the published alerts, after the fencing: no one else can publish any more. */
async function runTerm(options: StaleAlertsOptions, { signal }: LeadershipTerm): Promise<void> {
  const { prefix, client, topicName } = options;
  const partitions = await client.partitionCount(topicName('webhook-messages'));
  const producer = await client.openProducer({
    transactionalId: `${prefix}${ALERT_HEALTH}`,
    shared: [
      { topic: topicName('alerts'), partition: 0 },
      ...partitionsUpTo(topicName('webhook-messages'), partitions),
    ],
    signal,
  });
  try {
    const published = new Set<string>();
    /** Episodes of which only the begin is published, by rule. */
    const open = new Map(options.rules.map(({ name }) => [name, new Map<string, number>()]));
    const apply = ({ id, kind, event_id, rule }: Alert): void => {
      published.add(id);
      for (const begin of ['match_stale', 'match_halted'] as const) {
        const key = episodeKey(begin, event_id);
        if (kind === begin) open.get(rule)?.set(key, Number(id.slice(id.lastIndexOf('/') + 1)));
        else if (kind === EPISODE_KINDS[begin]) open.get(rule)?.delete(key);
      }
    };
    await follow(['alerts'], options, {
      untilEnd: true,
      signal,
      onRecord: ({ value }) => value && apply(value),
    });
    await options.known;
    const watched = watchEpisodes(options.rules, open);
    while (!signal.aborted) {
      const fresh = findAlerts(options, watched).filter(({ id }) => !published.has(id));
      if (fresh.length > 0) {
        await producer.transact(fresh.flatMap((alert) => recordsOf(options, alert, partitions)));
        for (const { id } of fresh) published.add(id);
        options.onPublished(fresh.map(({ received_at }) => received_at));
      }
      await machineClock.sleep(STALE_CHECK_MS, signal);
    }
  } finally {
    await producer.close();
  }
}

type WatchedEpisodes = {
  readonly rules: readonly AlertRule[];
  readonly limits: ReaderLimits;
  readonly episodes: StaleMatches;
};

/** Begins to watch the episodes of rules. `open`: those that are already reported, by rule. */
export function watchEpisodes(
  rules: readonly AlertRule[],
  open: ReadonlyMap<string, OpenEpisodes> = new Map(),
): readonly WatchedEpisodes[] {
  const groups = Map.groupBy(rules, (rule) => `${rule.maxAgeSeconds} ${rule.maxDelaySeconds}`);
  return [...groups.values()].map((group) => {
    const known = new Map(group.flatMap(({ name }) => [...(open.get(name) ?? [])]));
    return { rules: group, limits: group[0] as AlertRule, episodes: new StaleMatches(known) };
  });
}

/** Returns the alerts of the changes since the last call with these episodes. */
export function findAlerts(
  { matches, maxAgeMs }: Omit<FeedAlertSource, 'rules'>,
  watched: readonly WatchedEpisodes[],
): Alert[] {
  const now = Date.now();
  return watched.flatMap(({ rules, limits, episodes }) =>
    episodes.changes(matches.now(limits)).flatMap(({ kind, eventId, since, reasons }) => {
      if (since < now - maxAgeMs) return [];
      const ut = Math.floor((kind in EPISODE_KINDS ? since : now) / 1000);
      const subject = `${eventId}/${since}`;
      const cause = { event_id: eventId, subject, version: null, ut, received_at: now };
      const finding = { kind, incident: null, score: null, score_before: null, reasons };
      return alertsOf(rules, finding, cause, matches.latest(eventId));
    }),
  );
}

function recordsOf(
  { codecs, topicName }: StaleAlertsOptions,
  alert: Alert,
  partitions: number,
): OutputRecord[] {
  const key = String(alert.event_id);
  const partition = partitionOfKey(key, partitions);
  const value = codecs['webhook-messages'].encode(webhookMessageOf(alert));
  return [
    { topic: topicName('alerts'), partition: 0, key, value: codecs.alerts.encode(alert) },
    { topic: topicName('webhook-messages'), partition, key, value },
  ];
}
