import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import { Contracts } from '#clients/contracts.ts';
import { isLoopback } from '#service/addresses.ts';
import { OWN_RULES, readRules } from '#service/competition-rules.ts';
import { metersOf } from '#service/meters.ts';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { serviceVersion } from '#service/version.ts';
import { followInBackground } from '#topics/follow.ts';
import { orderHalt } from '#topics/halt-orders.ts';
import { Registry } from '#topics/registry.ts';
import { viewMetrics } from '#views/metrics.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { servedAccess, servedOf } from '#views/store/served.ts';
import { ViewFollower } from '#views/view-follower.ts';
import { createApp, createAuthenticator } from './app.ts';
import { settings } from './config.ts';
import { createSessions } from './sessions.ts';

type Context = ServiceContext<z.output<typeof settings>>;

/** Interval between requests for the views' topics: small beside the milliseconds in which a message reaches them. */
const URGENT_PACE_MS = 5;

/** The api service: serves the REST contract and the live board from views of the topics. */
export const api: ServiceDefinition<typeof settings> = {
  name: 'api',
  about: 'Serves the REST contract and the live board from the topics.',
  config: settings,
  async start(context) {
    const follower = await openViews(context);
    return follower.serve([await serveApi(context, follower)]);
  },
};

/** Opens the views of all topics. Throws as `ViewFollower.open`. */
export function openViews(context: Context): Promise<ViewFollower> {
  return ViewFollower.open(context, {
    name: 'api',
    metrics: viewMetrics(context.metrics, 'api'),
    feedRetentionMs: context.config.FEED_RETENTION_HOURS * 3_600_000,
    urgentPaceMs: URGENT_PACE_MS,
  });
}

/** Listens on API_PORT, and answers from the views. */
export async function serveApi(
  { config, logger, metrics: registry, draining, fail }: Context,
  follower: ViewFollower,
): Promise<RunningService> {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, SCHEMA_REGISTRY_URL: registryUrl } = config;
  const competitions = servedOf(config.SERVE_COMPETITIONS);
  const { views } = follower;
  metersOf(registry).sampled(
    'touchline_api_table_differences',
    "League tables that differ from the provider's, by kind, two hours after the last change of ours.",
    ['kind'],
    (gauge) => {
      for (const [kind, tables] of views.leagues.differences(Date.now() / 1000)) gauge.set({ kind }, tables);
    },
  );
  const codecs = new Registry({ url: registryUrl, prefix });
  const context = { brokers, prefix, registry: codecs, log: logger, onFailure: fail };
  const clients = new Contracts((access) => servedAccess(access, competitions));
  const reading = await followInBackground(['clients'], context, {
    onRecord: (record) => clients.apply(record),
  });
  const authenticator = createAuthenticator(clients, config);
  const { API_BOARD, LISTEN_HOST: host } = config;
  const isBehindProxy = config.API_PUBLIC_URL !== undefined || config.TRUSTED_PROXIES !== undefined;
  const gate = {
    sessions: createSessions({ clients, authenticator, clientsKeys: config, now: () => Date.now() / 1000 }),
    competitions,
    openOnLoopback: API_BOARD === 'on' && isLoopback(host) && !isBehindProxy,
    publicUrl: config.API_PUBLIC_URL,
  };
  const app = await createApp({
    data: createProviderData(views),
    authenticator,
    view: views,
    board: API_BOARD === 'off' ? null : gate,
    competitions,
    orderHalt: (order) => orderHalt({ brokers, prefix, registryUrl, log: logger }, order),
    rulesOf: readRules(config.RULES_DIR || OWN_RULES),
    version: serviceVersion(),
    publicUrl: config.API_PUBLIC_URL,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    tls: serverTlsFiles(config),
    registry,
    log: logger,
    ready: () => follower.ready,
    draining,
    onFailure: (error) => follower.onFailure(error),
  });
  await app.listen({ port: config.API_PORT, host });
  logger.info({ host, port: (app.server.address() as AddressInfo).port }, 'listening');
  return {
    ready: () => follower.ready,
    stop: async () => void (await Promise.all([app.close(), reading.close()])),
  };
}
