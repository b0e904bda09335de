import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { instanceId, Leadership } from '#streams/leadership.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { machineClock } from '#timing/clock.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type MonitorConfig, SERVICE, settings } from './config.ts';
import { monitorMetrics, watchCluster } from './metrics.ts';
import { MonitorTerm } from './term.ts';

/** Timeout of publishing. After it, the state is decided again, so that no outdated record is published later. */
const PUBLISH_TIMEOUT_MS = 2_000;

/** The feed monitor. One of its processes leads; the others stand by. */
export const feedMonitor: ServiceDefinition<typeof settings> = {
  name: SERVICE,
  about:
    'Decides for every source and live match whether it is alive, stale, down or recovering: feed-health.',
  config: settings,
  /** Joins the group of candidates, and publishes feed health while it leads. */
  start: startMonitor,
};

async function startMonitor(context: ServiceContext<MonitorConfig>): Promise<RunningService> {
  const { config, logger: log, metrics: metricsRegistry } = context;
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const metrics = monitorMetrics(metricsRegistry);
  const registry = new Registry({ url: config.SCHEMA_REGISTRY_URL, prefix });
  const codec = await registry.codec('feed-health');
  const publisher = await openPublisher({ brokers, clientId: SERVICE, log, timeoutMs: PUBLISH_TIMEOUT_MS });
  const client = openStreamClient({ brokers, clientId: SERVICE, log });
  const limits = {
    delayedAfterMs: config.DELAYED_AFTER_MS || Number.POSITIVE_INFINITY,
    staleAfterMs: config.STALE_AFTER_MS,
    keepAliveAfterMs: config.KEEP_ALIVE_AFTER_MS,
    backlogAfterMs: config.BACKLOG_AFTER_MS,
  };
  const options = { brokers, prefix, registry, codec, publisher, limits, metrics, log };
  const leadership = new Leadership({
    client,
    group: `${prefix}${SERVICE}`,
    topic: topicName(prefix, 'feed-health'),
    sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
    instanceId: instanceId(SERVICE, config.GROUP_INSTANCE_ID),
    onFenced: context.fail,
    clock: machineClock,
    lead: (term) => new MonitorTerm(options, term).run(),
    outlastsOutages: true,
    onChange: (leads) => {
      metrics.leader.set(leads);
      if (leads === 0) metrics.reset();
    },
    log,
  });
  await leadership.start();
  const stopping = new AbortController();
  watchCluster(brokers, prefix, metricsRegistry, stopping.signal).catch(context.fail);
  return {
    ready: () => leadership.joined,
    async stop() {
      stopping.abort();
      await leadership.stop();
      await publisher.close();
      await client.close();
    },
  };
}
