/** Alerts on the brokers themselves, each seen to fire where one of three is killed, and to end once it is back. */
import { describe, expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { hasPrometheus, Prometheus } from '../../support/prometheus.ts';
import { startCluster } from '../faults/killed-cluster.ts';

const REPLICAS = 3;
const ALERTS = ['TouchlineBrokersLost', 'TouchlineCopiesMissing'];

describe.skipIf(!hasPrometheus)('three brokers (needs prometheus)', () => {
  test('the loss of one is an alert, as are the copies that it held, until it has caught up', async () => {
    const cluster = await startCluster();
    const place = { ...backbone(), brokers: cluster.brokers, replicationFactor: REPLICAS };
    await Pipeline.create(place);
    const monitor = startService('feed-monitor', {
      KAFKA_BROKERS: place.brokers.join(','),
      SCHEMA_REGISTRY_URL: place.registryUrl,
      TOPIC_PREFIX: place.prefix,
      SESSION_TIMEOUT_MS: '6000',
    });
    await monitor.ready();
    const prometheus = await Prometheus.start([['feed-monitor', monitor]]);
    await untilTrue('all brokers are known', async () => {
      const [reachable] = await prometheus.query('max(touchline_brokers_reachable)');
      return reachable?.value === REPLICAS;
    });
    const firing = async (): Promise<string[]> => {
      const all = await Promise.all(
        ALERTS.map(async (name) => ((await prometheus.firing(name)).length > 0 ? [name] : [])),
      );
      return all.flat();
    };
    expect(await firing()).toEqual([]);

    const [, , last] = cluster.nodes;
    await last?.kill('SIGKILL');
    await prometheus.fires('TouchlineCopiesMissing', { severity: 'warning' });
    await prometheus.fires('TouchlineBrokersLost', { severity: 'critical' });
    // Two of three copies are enough: nothing lacks a leader, and work goes on.
    expect(await prometheus.query('max(touchline_topics_impaired{lack="leader"}) > 0')).toEqual([]);

    await last?.start();
    await untilTrue('every alert ends', async () => (await firing()).length === 0);
  });
});
