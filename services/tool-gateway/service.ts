import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { AccessTokens } from '#clients/access-tokens.ts';
import { Contracts } from '#clients/contracts.ts';
import { deriveKey } from '#clients/keys.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { openPublisher, type PublishRecord } from '#streams/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { createApp } from './app.ts';
import { gatewayMetrics } from './metrics.ts';
import { settings } from './settings.ts';
import { Attempts } from './token-exchange/attempts.ts';
import { Exchange } from './token-exchange/exchange.ts';
import { Issuer } from './token-exchange/issuer.ts';
import { Upstream } from './token-exchange/upstream.ts';

/** How long an exchange waits for the broker, milliseconds, each time it has to. */
const BROKER_MS = 5_000;
const DAY_MS = 86_400_000;

/** The service: exchanges credentials for access tokens. */
export const toolGateway: ServiceDefinition<typeof settings> = {
  name: 'tool-gateway',
  about: 'Exchanges the credentials of clients for access tokens of the tool endpoint: POST /api/v1/token.',
  config: settings,
  async start({ config, logger: log, metrics: registry, signal, fail }) {
    const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix, SCHEMA_REGISTRY_URL: registryUrl } = config;
    const place = { brokers, registryUrl, prefix, log };
    const publisher = await openPublisher({
      ...{ brokers, log, clientId: 'touchline-tool-gateway', timeoutMs: BROKER_MS },
    });
    const publish = (records: readonly PublishRecord[]): Promise<void> => publisher.publish(records);
    const [tokens, contracts, attempts, codec] = await Promise.all([
      AccessTokens.follow({ ...place, onFailure: fail }),
      Contracts.follow({ ...place, onFailure: fail }),
      Attempts.open({ ...place, publish, now: Date.now, timeoutMs: BROKER_MS, onFailure: fail }),
      Registry.open({ url: registryUrl, prefix }).codec('access-tokens'),
    ]);
    const metrics = gatewayMetrics(registry, {
      subjects: (scope) => attempts.subjects(scope),
      tokens: () => tokens.size,
    });
    const upstream = new Upstream({
      baseUrl: config.UPSTREAM_BASE_URL,
      timeoutMs: config.UPSTREAM_TIMEOUT_MS,
      onAnswer: (outcome, seconds) => metrics.upstreamSeconds.observe({ outcome }, seconds),
    });
    const days = config.TOKEN_LIFETIME_DAYS;
    const app = await createApp({
      trustedProxies: config.TRUSTED_PROXIES ?? [],
      log,
      onAnswer: (outcome, seconds) => metrics.exchangeSeconds.observe({ outcome }, seconds),
      exchange: new Exchange({
        count: (scope, subject) => attempts.count(scope, subject),
        check: (clientId, secretKey) => upstream.check(clientId, secretKey, signal),
        contracts,
        issuer: new Issuer({
          ...{ tokens, codec, publish },
          topic: topicName(prefix, 'access-tokens'),
          lifetimeMs: days === 0 ? null : days * DAY_MS,
        }),
        key: createSecretKey(deriveKey(config.CLIENTS_KEY, 'attempts')),
        now: Date.now,
        log,
      }),
    });
    await app.listen({ port: config.TOOLS_PORT, host: '0.0.0.0' });
    log.info({ port: (app.server.address() as AddressInfo).port }, 'listening');
    return {
      ready: () => publisher.healthy,
      async stop() {
        await app.close();
        await Promise.all([tokens.close(), contracts.close(), attempts.close(), publisher.close()]);
      },
    };
  },
};
