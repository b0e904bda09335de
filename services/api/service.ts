import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ServiceDefinition } from '#service/run-service.ts';
import { PositionLostError } from '#streams/follow.ts';
import { topicIds } from '#streams/topic-ids.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { createProviderData } from '#views/data/provider-data.ts';
import { isBroken, removeViews } from '#views/store/database.ts';
import { feedViews } from '#views/store/source.ts';
import { SOURCES, Views } from '#views/store/views.ts';
import { createApp } from './app.ts';
import { createGatekeeper } from './gatekeeper.ts';
import { apiMetrics } from './metrics.ts';
import { settings } from './settings.ts';

/** Views that were not used for longer are made anew: tombstones of that time are gone after a day. */
const MAX_AGE_MS = 12 * 3_600_000;
const SWEEP_MS = 10_000;
/** Between two parts of a sweep, so that requests come in between. */
const SWEEP_PAUSE_MS = 20;

/** The service: the contract and the live board, out of views of the topics. */
export const api: ServiceDefinition<typeof settings> = {
  name: 'api',
  about: 'Serves the REST contract and the live board out of the topics.',
  config: settings,
  async start({ config, logger, metrics: registry, signal, fail }) {
    const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
    const folder = join(config.DATA_DIR, 'api');
    const metrics = apiMetrics(registry);
    const names = SOURCES.map((topic) => topicName(prefix, topic));
    const source = Object.fromEntries(await topicIds(brokers, names));
    const { views, fresh } = Views.open({ folder, source, maxAgeMs: MAX_AGE_MS, now: Date.now() });
    if (fresh !== null) logger.info({ why: fresh }, 'the views are made anew');
    const feedRetentionMs = config.FEED_RETENTION_HOURS * 3_600_000;
    let caughtUp = false;
    const app = await createApp({
      data: createProviderData(views),
      gatekeeper: await createGatekeeper(views.clients, config.CLIENTS_KEY),
      view: views,
      board: config.API_BOARD === 'on',
      version: version(),
      publicUrl: config.API_PUBLIC_URL,
      registry,
      metrics,
      log: logger,
      ready: () => caughtUp,
      onFailure(error) {
        if (!isBroken(error)) return;
        // What is read next may be wrong without failing.
        caughtUp = false;
        fail(error);
      },
    });
    await app.listen({ port: config.API_PORT, host: '0.0.0.0' });
    logger.info({ port: (app.server.address() as AddressInfo).port }, 'listening');

    const stopping = new AbortController();
    const startedAt = performance.now();
    const fed = feedViews({
      brokers,
      prefix,
      reader: 'touchline-api',
      registry: Registry.open({ url: config.SCHEMA_REGISTRY_URL, prefix }),
      views,
      feedRetentionMs,
      metrics,
      log: logger,
      signal: AbortSignal.any([signal, stopping.signal]),
      onCaughtUp() {
        caughtUp = true;
        logger.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'caught up');
      },
    }).catch(fail);
    let sweeping: NodeJS.Timeout | undefined;
    const sweep = (): void => {
      const more = views.feed.sweep(Date.now() - feedRetentionMs);
      sweeping = setTimeout(sweep, more ? SWEEP_PAUSE_MS : SWEEP_MS);
    };
    sweep();
    return {
      ready: () => caughtUp,
      async stop() {
        clearTimeout(sweeping);
        stopping.abort();
        await Promise.all([app.close(), fed]);
        views.close();
        // Whatever found it, a batch, a request or a sweep: of no use any more.
        if (!isBroken(signal.reason) && !(signal.reason instanceof PositionLostError)) return;
        removeViews(folder);
        logger.warn('the next start makes the views anew');
      },
    };
  },
};

function version(): string {
  const { version: text } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return text;
}
