/** Tests that alerts on forged, unreadable, wrong, late, refused or lost messages fire. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPositions, topicBounds } from '#cluster/logs.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { applicationOf } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { CLIENT, TestProvider } from '../../integration/feed-poller/provider.ts';
import { withAdmin } from '../../support/admin.ts';
import { received } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { limitClients } from '../../support/broker-settings.ts';
import { quietLog } from '../../support/log.ts';
import { DEADLINE_MS, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { hasPrometheus, Prometheus, type Target } from '../../support/prometheus.ts';
import { deliverSigned, System, WEBHOOK_SECRET } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { publishDifferingTable } from './differing-table.ts';

/** Number of matches, enough for one in each partition. */
const MATCHES = 12;
/** Number of forged or unreadable messages, above the limit of the rules. */
const ABOVE_LIMIT = 100;
/** A delivery of more messages than a body may have. */
const OVERFULL = Array.from({ length: 10_001 }, () => ({}));
/** Number of messages published at once, to overload a process. */
const FLOOD = 400 * MATCHES;
/** Maximum lag, far above the limit of the alert: above it nothing more is published. */
const MAX_LAG = 30_000;
const POLL_MS = 200;
/** Bytes that a slowed processor reads in a second: a fraction of the published ones. */
const SLOW_BYTES = 200_000;
/** Delay of a late message: a second above the limit of a stage, milliseconds. */
const LATE_MS = 6_000;
const REFUSED_PARTITION = 0;
/** Match of the poisoned message, in another partition. */
const POISONED_MATCH = 2;

type PublishedRecord = { readonly topic: string; readonly key: string; readonly value: Buffer };

describe.skipIf(!hasPrometheus)('a system with faults in and around it (needs prometheus)', () => {
  let system: System;
  let receiver: { readonly service: TestService; readonly url: string };
  let api: TestService;
  let provider: TestProvider;
  let prometheus: Prometheus;
  let others: Target[];
  let messageId = 0;

  const now = () => Math.floor(Date.now() / 1_000);
  const inputTopic = () => topicName(system.pipeline.connection.prefix, 'normalized-messages');

  beforeAll(async () => {
    system = await System.create();
    provider = await TestProvider.start();
    atEnd(() => provider.close());
    const client = { id: CLIENT.id, secret: CLIENT.secret };
    const poller = system.startPoller(
      { url: provider.url, client },
      { FEED_INITIAL_SECONDS: '1', FOLLOW_SEASONS: String(provider.season.id) },
    );
    await publishDifferingTable(system.pipeline.connection);
    const [replica] = await Promise.all([system.startApi(temporaryFolder()), poller.ready()]);
    api = replica.service;
    receiver = await system.startReceiver();
    // A goal in each match that agrees with its score.
    await post(
      Array.from({ length: MATCHES }, (_, n) =>
        incidentMessage(head(), { confirmation: 'confirmed' }, { id: n + 1 }),
      ),
    );
    await system.pipeline.settled();
    others = [
      ['webhook-receiver', receiver.service],
      ['feed-poller', poller],
      ['api', api],
    ];
    prometheus = await Prometheus.start([['match-processor', system.processor], ...others]);
  });

  test('alerts on forged, unreadable, old and contradictory messages, and on a failing feed', async () => {
    await prometheus.quiet([
      'TouchlineForgedDeliveries',
      'TouchlineAuthenticRefused',
      'TouchlineUnknownMessages',
      'TouchlineUnreadFields',
      'TouchlineUnreadableRecords',
      'TouchlineProviderSlow',
      'TouchlineMatchesFlagged',
      'TouchlineFeedBehind',
    ]);
    // Cancels a goal that does not exist.
    await post([incidentMessage(head(), { id: '5-424', incident_id: 424, participant_id: 102 }, { id: 1 })]);
    await post(
      Array.from({ length: ABOVE_LIMIT }, () => eventMessage({ ...head(), ut: now() - 60 }, { id: 2 })),
    );
    await post(Array.from({ length: ABOVE_LIMIT }, () => ({ shape: 'unknown' })));
    await post([eventMessage(head(), { id: 3, latency: {} })]);
    const unreadable = {
      topic: topicName(system.pipeline.connection.prefix, 'match-state'),
      key: 'x',
      value: Buffer.from('?'),
    };
    await publish([unreadable]);
    // Other requests succeed and show the provider's time.
    provider.fault = ({ path }) => (path === '/v2/feed' ? { status: 500 } : null);
    provider.now = () => now() + 300;
    const forging = new AbortController();
    const forged = Promise.all([forgeUntil(forging.signal), overfillUntil(forging.signal)]);
    await prometheus.fires('TouchlineForgedDeliveries', { check: 'signature_mismatch' });
    await prometheus.fires('TouchlineAuthenticRefused', { reason: 'too_many_messages' });
    forging.abort();
    await forged;
    await prometheus.fires('TouchlineUnknownMessages', { service: 'webhook-receiver' });
    await prometheus.fires('TouchlineUnreadFields', { service: 'webhook-receiver', path: 'event.latency' });
    await prometheus.fires('TouchlineUnreadableRecords', { service: 'api', topic: unreadable.topic });
    await prometheus.fires('TouchlineProviderSlow', { service: 'webhook-receiver' });
    await prometheus.fires('TouchlineMatchesFlagged', { reason: 'orphan' });
    await prometheus.fires('TouchlineTablesDiffer', { kind: 'points' });
    await prometheus.fires('TouchlineFeedBehind', { severity: 'warning' });
    provider.fault = () => null;
    await prometheus.quiet(['TouchlineFeedBehind']);
  });

  test('alerts on overload, and on records that are removed before they are processed', async () => {
    await prometheus.quiet([
      'TouchlineViewBehind',
      'TouchlineProcessorBehind',
      'TouchlinePartitionRefused',
      'TouchlineRecordsLost',
    ]);
    // That of the receiver, for unreadable messages.
    expect(await prometheus.firing('TouchlineDeadLetters')).toMatchObject([{ service: 'webhook-receiver' }]);
    await system.processor.kill();
    const stoppedAt = Date.now();
    await publish([recordOf(POISONED_MATCH, Buffer.from('poison'))]);
    await post(Array.from({ length: MATCHES }, (_, n) => eventMessage(head(), { id: n + 1 })));
    await whileFlooded(lagOf(api, 'touchline_api_lag_records'), () =>
      prometheus.fires('TouchlineViewBehind', { service: 'api' }),
    );
    const lost = await removeUnprocessed();
    await untilTrue('what waits is late', () => Date.now() - stoppedAt > LATE_MS);

    // A new processor, which was never scraped before.
    const refusing = system.pipeline.startProcessor();
    await untilTrue(
      'the poison is counted',
      async () => (await refusing.metric('touchline_dead_letters_total')) === 1,
    );
    prometheus.discover([['match-processor', refusing], ...others]);
    // Slow even on a fast machine.
    await limitProcessors(SLOW_BYTES);
    await whileFlooded(lagOf(refusing, 'touchline_lag_records'), () =>
      prometheus.fires('TouchlineProcessorBehind', { service: 'match-processor' }),
    );
    await limitProcessors(null);
    await prometheus.fires('TouchlineDeadLetters', { service: 'match-processor', code: 'undecodable' });
    // The processor was scraped by now, so that these count as an increase.
    await publish(await recordsOf(LATE_MS));
    await prometheus.fires('TouchlineStageSlow', { stage: 'received_to_state' });
    await prometheus.fires('TouchlinePartitionRefused', { service: 'match-processor' });
    await prometheus.quiet(['TouchlineRecordsLost']);

    // The decision of an operator.
    await refusing.kill();
    const going = system.pipeline.startProcessor({ ON_LOST_INPUT: 'continue' });
    await untilTrue(
      'it counts them',
      async () => (await going.metric('touchline_lost_records_total')) === lost,
    );
    prometheus.discover([['match-processor', going], ...others]);
    await prometheus.fires('TouchlineRecordsLost', { service: 'match-processor' });
    await prometheus.quiet(['TouchlinePartitionRefused']);
  });

  /** Returns the id and the time of a new message. */
  function head(): { readonly id: number; readonly ut: number } {
    messageId += 1;
    return { id: messageId, ut: now() };
  }

  const recordOf = (match: number | null, value: Buffer): PublishedRecord => ({
    topic: inputTopic(),
    key: String(match),
    value,
  });

  const lagOf = (service: TestService, metric: string) => () => service.metric(metric);

  const limitProcessors = (read: number | null) => {
    const { brokers, prefix } = system.pipeline.connection;
    return limitClients(brokers, applicationOf(prefix, 'match-processor'), 'consumer_byte_rate', read);
  };

  const openFlooder = () =>
    openPublisher({
      brokers: system.pipeline.connection.brokers,
      clientId: 'test-flood',
      log: quietLog,
      timeoutMs: DEADLINE_MS,
    });

  async function post(messages: readonly unknown[], secret = WEBHOOK_SECRET): Promise<void> {
    const answer = await deliverSigned(receiver.url, messages, { secret });
    expect([answer.status, await answer.text()]).toEqual(
      secret === WEBHOOK_SECRET ? [200, 'Accepted'] : [401, expect.any(String)],
    );
  }

  async function forgeUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await post([eventMessage(head())], 'f'.repeat(32));
  }

  /** Sends authentic deliveries of more messages than a body may have. */
  async function overfillUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      expect((await deliverSigned(receiver.url, OVERFULL)).status).toBe(413);
      await delay(POLL_MS);
    }
  }

  /** Returns one message of each match, received `agoMs` ago. */
  async function recordsOf(agoMs: number): Promise<PublishedRecord[]> {
    const { registryUrl, prefix } = system.pipeline.connection;
    const codec = await Registry.open({ url: registryUrl, prefix }).codec('normalized-messages');
    const messages = Array.from({ length: MATCHES }, (_, n) => eventMessage(head(), { id: n + 1 }));
    return received(...messages).map((message) =>
      recordOf(message.event_id, codec.encode({ ...message, received_at: message.received_at - agoMs })),
    );
  }

  /** Publishes more than is read until `done`. `lag` returns the lag of the reader. */
  async function whileFlooded(lag: () => Promise<number>, done: () => Promise<void>): Promise<void> {
    const records = await recordsOf(0);
    const flood = Array.from({ length: FLOOD / MATCHES }, () => records).flat();
    const publisher = await openFlooder();
    const stopping = new AbortController();
    const pause = () => delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    let behind = 0;
    const watching = (async () => {
      for (; !stopping.signal.aborted; await pause()) behind = await lag();
    })();
    const flooding = (async () => {
      while (!stopping.signal.aborted) await (behind < MAX_LAG ? publisher.publish(flood) : pause());
    })();
    await Promise.all([watching, flooding, done().finally(() => stopping.abort())]);
    await publisher.close();
  }

  async function publish(records: PublishedRecord[]): Promise<void> {
    const publisher = await openFlooder();
    await publisher.publish(records);
    await publisher.close();
  }

  /** Removes the unprocessed records of a partition, as retention does, and returns their number. */
  async function removeUnprocessed(): Promise<number> {
    const { brokers, prefix } = system.pipeline.connection;
    const bounds = await topicBounds({ brokers, clientId: 'test-late' }, [inputTopic()]);
    const end = bounds.find(({ partition }) => partition === REFUSED_PARTITION)?.end ?? 0;
    const positions = await readPositions({
      brokers,
      application: `${prefix}match-processor`,
    });
    const lost = { name: inputTopic(), partitions: [{ partition: REFUSED_PARTITION, offset: BigInt(end) }] };
    await withAdmin(brokers, (admin) => admin.deleteRecords({ topics: [lost] }));
    return end - (positions.get(REFUSED_PARTITION) ?? end);
  }
});
