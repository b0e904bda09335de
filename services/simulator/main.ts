import { writeFileSync } from 'node:fs';
import { runService } from '#service/run-service.ts';
import { readDataset } from '../../data/dataset.ts';
import { parseFaults } from './faults.ts';
import { play } from './player.ts';
import { settings } from './settings.ts';
import { createWebhookSender } from './webhook.ts';

/** The patience of the provider (spec, "Limits"), in milliseconds. */
const ANSWER_WITHIN = 10_000;
const FIRST_WAIT = 200;
const MOST_WAIT = 5_000;

await runService({
  name: 'simulator',
  about:
    'Plays real matches as a provider would: signed webhooks, with faults to order; ends when all was accepted.',
  config: settings,
  async start({ config, logger, metrics, signal, fail, finish }) {
    const sender = createWebhookSender({
      url: config.WEBHOOK_URL,
      secret: config.WEBHOOK_SECRET,
      timeoutMs: ANSWER_WITHIN,
      firstWaitMs: FIRST_WAIT,
      mostWaitMs: MOST_WAIT,
      onRetry: (reason) => logger.warn({ reason }, 'delivery was not accepted, trying again'),
    });
    const dataset = readDataset(config.DATASET);
    const playing = play(
      {
        dataset,
        matches: config.MATCHES ?? dataset.matches.length,
        seed: config.SEED,
        faults: parseFaults(config.FAULTS),
        keepAliveEvery: config.KEEP_ALIVE_EVERY,
        clockEvery: config.CLOCK_EVERY,
        batchSize: config.BATCH_SIZE,
        concurrency: config.CONCURRENCY,
        pace: config.DURATION === undefined ? { speed: config.SPEED } : { seconds: config.DURATION },
      },
      sender,
      metrics,
      signal,
    ).then(
      (summary) => {
        logger.info({ summary }, 'all was played and accepted');
        if (config.SUMMARY_FILE !== undefined)
          writeFileSync(config.SUMMARY_FILE, `${JSON.stringify(summary)}\n`);
        finish();
      },
      (error: unknown) => {
        if (!signal.aborted) fail(error);
      },
    );
    return {
      ready: () => true,
      stop: async () => {
        await playing;
        sender.close();
      },
    };
  },
});
