import { writeFileSync } from 'node:fs';
import type { ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { daysLater, readDataset } from '../../data/dataset.ts';
import { settings } from './config.ts';
import { parseFaults } from './faults.ts';
import { parseRestFaults } from './rest/faults.ts';
import { serveProvider } from './rest/provider.ts';
import { simulate } from './simulate.ts';
import { createWebhookSender } from './webhook.ts';

/** The provider's timeout of a delivery (spec, "Limits"). */
const ANSWER_TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/** More than the longest play: a season at real speed. */
const LONGEST_PLAY_SECONDS = 366 * 86_400;

/** The simulator: a provider that plays real matches by webhooks, by REST, or by both. */
export const simulator: ServiceDefinition<typeof settings> = {
  name: 'simulator',
  about:
    "Plays real matches as a provider would: signed webhooks, the provider's REST, or both, with configurable faults. Ends when everything is accepted, or, with REST, when it is stopped.",
  config: settings,
  async start({ config, logger, signal, fail, finish }) {
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret, REST_SECRET_KEY: secretKey } = config;
    const sender =
      url === undefined || secret === undefined
        ? null
        : createWebhookSender({
            url,
            secret,
            timeoutMs: ANSWER_TIMEOUT_MS,
            firstWaitMs: FIRST_WAIT_MS,
            maxWaitMs: MAX_WAIT_MS,
            onRetry: (reason) => logger.warn({ reason }, 'a delivery was not accepted, retries'),
          });
    const dataset = daysLater(readDataset(config.DATASET), config.DAYS_LATER);
    const playing = {
      dataset,
      matches: config.MATCHES ?? dataset.matches.length,
      seed: config.SEED,
      faults: parseFaults(config.FAULTS),
      keepAliveEvery: 30,
      clockEvery: 60,
      aheadAt: Math.floor(Date.now() / 1000) + LONGEST_PLAY_SECONDS,
      batchSize: 20,
      concurrency: 4,
      pace: config.DURATION === undefined ? { speed: config.SPEED } : { seconds: config.DURATION },
    };
    const rest =
      config.REST_PORT === undefined || secretKey === undefined
        ? null
        : await serveProvider({
            ...playing,
            port: config.REST_PORT,
            host: config.LISTEN_HOST,
            restFaults: parseRestFaults(config.REST_FAULTS),
            client: { id: String(config.REST_CLIENT_ID), secretKey },
            tls: serverTlsFiles(config),
          });
    if (rest !== null)
      logger.info({ host: config.LISTEN_HOST, port: rest.port }, "the provider's REST is served");
    const simulation = simulate({
      playing,
      sender,
      rest,
      signal,
      onSummary(summary) {
        if (config.SUMMARY_FILE !== undefined)
          writeFileSync(config.SUMMARY_FILE, `${JSON.stringify(summary)}\n`);
      },
      onAllPublished: (summary) => logger.info({ summary }, 'all was played and accepted'),
    }).then(finish, (error: unknown) => {
      if (!signal.aborted) fail(error);
    });
    return {
      ready: () => true,
      stop: async () => {
        await simulation;
        await rest?.close();
        sender?.close();
      },
    };
  },
};
