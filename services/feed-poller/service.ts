import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { instanceId, Leadership, type LeadershipTerm } from '#streams/leadership.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { machineClock } from '#timing/clock.ts';
import { type OpenTopics, readLatest } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type PollerConfig, SERVICE, settings } from './config.ts';
import { pollerMetrics } from './metrics.ts';
import { httpTransport, providerClient } from './provider/provider.ts';
import { createTopicWriter, WRITTEN_TOPICS } from './publish/topic-writer.ts';
import { poll } from './schedule/poller.ts';

/** The feed poller. One of its processes leads and polls; the others stand by. */
export const feedPoller: ServiceDefinition<typeof settings> = {
  name: SERVICE,
  about:
    "Reads the provider's REST interface: feed, board, schedule, catalogues, and incident lists as checks.",
  config: settings,
  /** Joins the group of candidates, and polls while it leads. */
  start: startPoller,
};

async function startPoller(context: ServiceContext<PollerConfig>): Promise<RunningService> {
  const { config, logger: log, metrics: registry } = context;
  if (config.PROVIDER_BASE_URL === '') {
    log.info('no polling: PROVIDER_BASE_URL is empty');
    return { ready: () => true, stop: async () => {} };
  }
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  const metrics = pollerMetrics(registry);
  const schemas = new Registry({ url: config.SCHEMA_REGISTRY_URL, prefix });
  const source: OpenTopics = { brokers, prefix, registry: schemas };
  const codecs = await schemas.codecs(WRITTEN_TOPICS);
  const publisher = await openPublisher({ brokers, clientId: SERVICE, log });
  const stopping = new AbortController();
  const { RETRY_FIRST_MS: firstMs, RETRY_CEILING_MS: ceilingMs } = config;
  const backoff = { firstMs, ceilingMs, random: Math.random };
  const provider = providerClient({
    baseUrl: config.PROVIDER_BASE_URL,
    clientId: config.PROVIDER_CLIENT_ID ?? '',
    secretKey: config.PROVIDER_SECRET_KEY ?? '',
    transport: httpTransport({ timeoutMs: config.REQUEST_TIMEOUT_MS, maxBytes: config.RESPONSE_LIMIT }),
    clock: machineClock,
    concurrency: config.REQUEST_CONCURRENCY,
    refusedMs: ceilingMs,
    metrics,
    signal: stopping.signal,
  });

  const lead = async ({ signal, requireTerm }: LeadershipTerm): Promise<void> => {
    const [checkpoints, catalogue] = await Promise.all([
      readLatest('poller-checkpoints', source, signal),
      readLatest('catalogue', source, signal),
    ]);
    if (signal.aborted) return;
    log.info({ feed: checkpoints.get('feed')?.position ?? null }, 'polling from the checkpoint');
    const topicWriter = createTopicWriter({
      publish: (records) => publisher.publish(records),
      codecs,
      prefix,
      requireTerm,
      now: machineClock.unix,
      metrics,
      log,
    });
    const restored = { checkpoints, catalogue };
    await poll(
      { config, provider, topicWriter, restored, clock: machineClock, backoff, metrics, log },
      signal,
    );
  };
  const client = openStreamClient({ brokers, clientId: SERVICE, log });
  const leadership = new Leadership({
    client,
    group: `${prefix}${SERVICE}`,
    topic: topicName(prefix, 'poller-checkpoints'),
    sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
    instanceId: instanceId(SERVICE, config.GROUP_INSTANCE_ID),
    onFenced: context.fail,
    clock: machineClock,
    lead,
    onChange: (leads) => metrics.leader.set(leads),
    log,
  });
  await leadership.start();
  return {
    ready: () => leadership.joined,
    async stop() {
      const stopped = leadership.stop();
      // The term waits for its requests, which wait for the token exchange; only `stopping` aborts that exchange.
      stopping.abort();
      await stopped;
      await publisher.close();
    },
  };
}
