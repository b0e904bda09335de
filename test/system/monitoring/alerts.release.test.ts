/** Tests dashboards and alerts with a real Prometheus that scrapes a system, while it plays and while it is broken. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { topicName } from '#topics/topics.ts';
import type { ApiReplica } from '../../support/api.ts';
import { answers, HttpsReceiver } from '../../support/https-receiver.ts';
import { quietLog } from '../../support/log.ts';
import { panelQueries } from '../../support/monitoring.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { hasPrometheus, type Series, startPrometheus } from '../../support/prometheus.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { deliverSigned, System, startProvider, WEBHOOK_SECRET } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Gateway, startGateway } from '../../support/tool-gateway.ts';
import { leaveUndecided, UNVERIFIED } from '../../support/undecided.ts';
import { startDispatcher, subscribe } from '../../support/webhooks.ts';

/** Duration of the matches: longer than all checks that need them. */
const PLAY_SECONDS = '90';
/** Interval of rates, in place of Grafana's: several scrapes. */
const RATE_INTERVAL = '15s';

/** Queries without data when the event does not happen, or with matches of 2018. */
const MAY_BE_EMPTY = [
  'ALERTS{',
  'touchline_feed_gaps_total',
  'stage="provider_to_received"',
  'touchline_webhook_overloaded_total',
  'touchline_mcp_call_seconds',
  'touchline_unread_fields_total',
  'touchline_unreadable_records_total',
  'touchline_dispatcher_unclaimed_partitions',
  // The system uses plain HTTP.
  'touchline_certificate_expiry_timestamp_seconds',
];

const BROKEN = [
  'TouchlineDeadLetters',
  'TouchlineFeedLost',
  'TouchlineMatchesSilent',
  'TouchlineTransactionStuck',
  'TouchlineProcessDown',
  'TouchlinePartitionStopped',
  'TouchlineDeliveriesNotStored',
  'TouchlineBrokersLost',
  'TouchlineWebhooksFailing',
  'TouchlineNoLeader',
];

describe.skipIf(!hasPrometheus)('a system that Prometheus scrapes (needs prometheus)', () => {
  let kafka: Kafka;
  let system: System;
  let receiver: { readonly service: TestService; readonly url: string };
  let customer: HttpsReceiver;
  let simulator: TestService;
  let api: ApiReplica;
  let gateway: Gateway;
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;

  beforeAll(async () => {
    // The broker accepts transactional records without a transaction.
    const restartable = await restartableKafka(UNVERIFIED);
    kafka = restartable.kafka;
    system = await System.create({ brokers: restartable.directBrokers });
    const { connection } = system.pipeline;
    customer = await HttpsReceiver.start(answers.accepted);
    const standings = system.start('standings-processor', { SESSION_TIMEOUT_MS: '6000' });
    const monitor = system.start('feed-monitor', {
      SESSION_TIMEOUT_MS: '6000',
      DELAYED_AFTER_MS: '0',
      STALE_AFTER_MS: '6000',
      KEEP_ALIVE_AFTER_MS: '6000',
    });
    [receiver, api] = await Promise.all([
      // Answers soon when a delivery is not stored.
      system.startReceiver({ PATIENCE_MS: '1000' }),
      system.startApi(temporaryFolder()),
    ]);
    await subscribe(connection, { url: customer.url, secret: WEBHOOK_SECRET });
    [gateway] = await Promise.all([startGateway(connection, api.url), standings.ready()]);
    const dispatcher = await startDispatcher(connection);
    await dispatcher.ready();
    const provider = await startProvider({ WEBHOOK_URL: receiver.url, MATCHES: '4', DURATION: PLAY_SECONDS });
    simulator = provider.service;
    const poller = system.startPoller(provider, {
      FEED_WINDOW_SECONDS: '7200',
      FEED_INITIAL_SECONDS: '3600',
    });
    await Promise.all([monitor, poller, system.processor].map((service) => service.ready()));
    for (const [service, name] of [
      [monitor, 'touchline_monitor_leader'],
      [poller, 'touchline_poller_leader'],
    ] as const)
      await untilTrue(`${name} is 1`, async () => (await service.metric(name)) === 1);
    prometheus = await startPrometheus([
      ['webhook-receiver', receiver.service],
      ['match-processor', system.processor],
      ['standings-processor', standings],
      ['feed-monitor', monitor],
      ['feed-poller', poller],
      ['webhook-dispatcher', dispatcher],
      ['api', api.service],
      ['tool-gateway', gateway.service],
    ]);
  });

  test('every query of every dashboard succeeds, and has data while matches are played', async () => {
    const waiting = new Set(panelQueries());
    await untilTrue(`all panels have data`, async () => {
      await clientsAsk();
      for (const expr of waiting) {
        const series = await prometheus.query(asGrafana(expr));
        if (series.some(isKnown) || MAY_BE_EMPTY.some((part) => expr.includes(part))) waiting.delete(expr);
      }
      return waiting.size === 0;
    }).catch((error) => expect([...waiting], String(error)).toEqual([]));
    expect(simulator.log).not.toContain('all was played');
  });

  test('each fault fires its alert, which did not fire before', async () => {
    // On a busy machine one of them may have fired rightly.
    await prometheus.quiet(BROKEN);

    // A stuck transaction in the input of standings, which nothing else reads here. This alert takes longest.
    await leaveUndecided({
      brokers: kafka.brokers,
      transactionalId: 'a producer that is gone',
      records: [{ topic: nameOf('match-results'), partition: 0, key: 'key', value: Buffer.from('value') }],
    });
    await publishPoison();
    await customer.close();
    await prometheus.fires('TouchlineWebhooksFailing', { state: 'failing' });
    await gateway.service.kill();
    await simulator.kill();
    await prometheus.fires('TouchlineDeadLetters', { service: 'match-processor', code: 'undecodable' });
    await prometheus.fires('TouchlineProcessDown', { service: 'tool-gateway' });
    await prometheus.fires('TouchlineFeedLost', { source: 'feed', state: 'down' });
    await prometheus.fires('TouchlineMatchesSilent', { source: 'webhook' });
    await prometheus.fires('TouchlineTransactionStuck', { service: 'standings-processor', partition: '0' });
    expect(await prometheus.firing('TouchlinePartitionStopped')).toEqual([]);
    expect(await prometheus.firing('TouchlineDeliveriesNotStored')).toEqual([]);

    await kafka.kill('SIGKILL');
    const posting = new AbortController();
    const posts = postUntil(posting.signal);
    await prometheus.fires('TouchlineDeliveriesNotStored', { severity: 'critical' });
    await prometheus.fires('TouchlinePartitionStopped', { service: 'match-processor' });
    await prometheus.fires('TouchlineBrokersLost', { severity: 'critical' });
    await prometheus.fires('TouchlineNoLeader', { service: 'feed-poller' });
    await kafka.start();
    await untilTrue(
      'its partitions are processed again',
      async () => (await prometheus.firing('TouchlinePartitionStopped')).length === 0,
    );
    posting.abort();
    await posts;
  });

  const nameOf = (topic: Parameters<typeof topicName>[1]): string =>
    topicName(system.pipeline.connection.prefix, topic);

  /** Sends requests that this test would otherwise lack: a page, a refused exchange and a forged delivery. */
  async function clientsAsk(): Promise<void> {
    await api.get('/v2/oauth?client_id=1&secret_key=wrong');
    await gateway.exchange({ client_id: '1', secret_key: 'wrong' });
    await fetch(receiver.url, { method: 'POST', body: '[]' });
  }

  async function publishPoison(): Promise<void> {
    const { brokers } = kafka;
    const publisher = await openPublisher({ brokers, clientId: 'test-poison', log: quietLog });
    await publisher.publish([
      { topic: nameOf('normalized-messages'), key: '1', value: Buffer.from('poison') },
    ]);
    await publisher.close();
  }

  async function postUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      await deliverSigned(receiver.url, [{ type: 'of nothing here' }], { signal }).catch(() => {});
  }
});

/** Returns a query of a dashboard with its variables set to `All`. */
function asGrafana(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll('$namespace', '.*')
    .replaceAll('$instance', '.*');
}

/** Whether a series has a value: a quantile without data is NaN. */
function isKnown({ value }: Series): boolean {
  return !Number.isNaN(value);
}
