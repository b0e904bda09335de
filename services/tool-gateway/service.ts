import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import { AccessTokens } from '#clients/access-tokens.ts';
import { Contracts } from '#clients/contracts.ts';
import type { RunningService, ServiceContext, ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { serviceVersion } from '#service/version.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { followInBackground } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { VersionedTopic } from '#topics/versioned-topic.ts';
import { viewMetrics } from '#views/metrics.ts';
import { toolQueries } from '#views/queries/tool-queries.ts';
import { VIEW_TOPICS } from '#views/records.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { servedAccess, servedOf } from '#views/store/served.ts';
import { ViewFollower } from '#views/view-follower.ts';
import { createApp } from './app.ts';
import { settings } from './config.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { gatewayMetrics } from './metrics.ts';
import { TokenExchange, tokenIssuer } from './token-exchange/exchange.ts';
import { upstreamCheck } from './token-exchange/upstream.ts';

type Context = ServiceContext<z.output<typeof settings>>;

const BROKER_MS = 5_000;
const DAY_MS = 86_400_000;
/** Interval between requests for the views' topics: nobody sees it in a tool's answer, which may be a tenth of a second old. */
const URGENT_PACE_MS = 20;

/** Topics that the tools read: all of the views, without the feed. */
const TOOL_TOPICS = VIEW_TOPICS.filter((topic) => topic !== 'normalized-messages');

/** The service: exchanges credentials for access tokens, and serves the tools to clients that have one. */
export const toolGateway: ServiceDefinition<typeof settings> = {
  name: 'tool-gateway',
  about: 'Exchanges credentials for access tokens at POST /api/v1/token, and serves the tools at /mcp.',
  config: settings,
  async start(context) {
    const follower = await ViewFollower.open(context, {
      name: 'tool-gateway',
      topics: TOOL_TOPICS,
      metrics: viewMetrics(context.metrics, 'tools'),
      feedRetentionMs: 0,
      urgentPaceMs: URGENT_PACE_MS,
    });
    return follower.serve([await serveTools(context, follower)]);
  },
};

/** Listens on TOOLS_PORT: exchanges credentials, and answers tools from the views, which may have more topics than these need. */
export async function serveTools(
  { config, logger: log, metrics: registry, signal, draining, fail }: Context,
  follower: ViewFollower,
): Promise<RunningService> {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, SCHEMA_REGISTRY_URL: registryUrl } = config;
  const codecs = new Registry({ url: registryUrl, prefix });
  const connection = { brokers, prefix, registry: codecs, log, onFailure: fail };
  const competitions = servedOf(config.SERVE_COMPETITIONS);
  const publisher = await openPublisher({
    brokers,
    log,
    clientId: 'touchline-tool-gateway',
    timeoutMs: BROKER_MS,
  });
  const tokens = new AccessTokens();
  const contracts = new Contracts((access) => servedAccess(access, competitions));
  const reading = await followInBackground(['access-tokens', 'clients'], connection, {
    onRecord: (record) => (record.topic === 'clients' ? contracts.apply(record) : tokens.apply(record)),
  });
  const codec = await codecs.codec('access-tokens');
  const metrics = gatewayMetrics(registry, () => tokens.size);
  const check = upstreamCheck({
    baseUrl: config.UPSTREAM_BASE_URL,
    ca: config.UPSTREAM_CA_FILE,
    timeoutMs: config.UPSTREAM_TIMEOUT_MS,
    onAnswer: (outcome, seconds) => metrics.upstreamSeconds.observe({ outcome }, seconds),
  });
  const days = config.TOKEN_LIFETIME_DAYS;
  const editor = new VersionedTopic('access-tokens', { brokers, prefix, registryUrl, log });
  const topic = topicName(prefix, 'access-tokens');
  const { views } = follower;
  const app = await createApp({
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    tls: serverTlsFiles(config),
    draining,
    log,
    onAnswer: (outcome, seconds) => metrics.exchangeSeconds.observe({ outcome }, seconds),
    exchange: new TokenExchange({
      check: (clientId, secretKey) => check(clientId, secretKey, signal),
      contracts,
      issue: tokenIssuer({
        tokens,
        write: (token) => publisher.publish([{ topic, key: token.token_id, value: codec.encode(token) }]),
        forget: (isForgotten) =>
          void editor.forget(isForgotten).catch((error: unknown) => {
            // The next exchange of the client tries again.
            log.warn({ err: error }, 'tokens that expired long ago could not be deleted');
          }),
        lifetimeMs: days === 0 ? null : days * DAY_MS,
      }),
      now: Date.now,
      log,
    }),
  });
  await mcpEndpoint(app, {
    data: createProviderData(views),
    queries: toolQueries(views),
    view: views,
    authenticate(bearer) {
      const token = tokens.find(bearer, Date.now());
      if (token === undefined || contracts.findHolder(token.client_id, token.client_identity) === undefined)
        return null;
      return { tokenId: token.token_id, clientId: token.client_id };
    },
    accessOf: (clientId) => contracts.find(clientId)?.access,
    allowedHosts: config.MCP_ALLOWED_HOSTS,
    allowedOrigins: config.MCP_ALLOWED_ORIGINS,
    ready: () => follower.ready,
    now: Date.now,
    version: serviceVersion(),
    boardUrl: config.BOARD_URL?.replace(/\/+$/, '') ?? null,
    metrics,
    log,
    onFailure: (error) => follower.onFailure(error),
  });
  await app.listen({ port: config.TOOLS_PORT, host: config.LISTEN_HOST });
  log.info({ host: config.LISTEN_HOST, port: (app.server.address() as AddressInfo).port }, 'listening');
  return {
    ready: () => publisher.healthy && follower.ready,
    async stop() {
      await app.close();
      await Promise.all([reading.close(), publisher.close()]);
    },
  };
}
