import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServiceDefinition } from '#service/run-service.ts';
import { serverTlsFiles } from '#service/server-tls.ts';
import { daysLater, readDataset } from '../../data/dataset.ts';
import { settings } from './config.ts';
import { parseFaults } from './faults.ts';
import { type PlayOptions, type PlaySummary, play } from './player.ts';
import { parseRestFaults } from './rest/faults.ts';
import { type ServedProvider, serveProvider } from './rest/provider.ts';
import { WaveTotals } from './schedule.ts';
import { createWebhookSender, type WebhookSender } from './webhook.ts';

/** The provider's timeout of a delivery (spec, "Limits"), and its waits between attempts. */
const TIMES = { timeoutMs: 10_000, firstWaitMs: 200, maxWaitMs: 5_000 } as const;
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
    const onRetry = (reason: string) => logger.warn({ reason }, 'a delivery was not accepted, retries');
    const sender =
      url === undefined || secret === undefined
        ? null
        : createWebhookSender({ url, secret, ...TIMES, onRetry });
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
      onSummary(summary, hasStopped) {
        if (!hasStopped) logger.info({ summary }, 'all was played and accepted');
        if (config.SUMMARY_FILE !== undefined)
          writeFileSync(config.SUMMARY_FILE, `${JSON.stringify(summary)}\n`);
      },
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

/** The totals of a simulation. With webhooks it has all of `PlaySummary`, with REST also `rest`. */
export type SimulationSummary = Partial<PlaySummary> & {
  readonly rest?: Pick<PlaySummary, 'faults'>;
};

/** A simulation by webhooks (`sender`), by REST (`rest`) or by both. */
type Simulation = {
  readonly playing: PlayOptions;
  readonly sender: WebhookSender | null;
  readonly rest: ServedProvider | null;
  readonly signal: AbortSignal;
  /** Called when everything is published and accepted, and again when serving REST ends. */
  readonly onSummary: (summary: SimulationSummary, hasStopped: boolean) => void;
};

/** Plays until all is published, then serves REST until `signal`. Rejects with its reason when it comes before that. */
export async function simulate(simulation: Simulation): Promise<void> {
  const { playing, sender, rest, signal, onSummary } = simulation;
  const startedAt = performance.now();
  rest?.start();
  // Webhooks follow the clock of REST; the fault `webhook_loss` drops some of them.
  const loses = () => rest?.provider.faults.strikes('webhook_loss') === true;
  const options = rest === null ? playing : { ...playing, pace: rest, onPlayed: rest.reach, loses };
  const played = sender === null ? null : await play(options, sender, signal);
  // With infinite speed, REST now shows everything that no webhook had to deliver first.
  rest?.reach(Number.POSITIVE_INFINITY);
  await rest?.allPublished(signal);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const { dataset } = playing.dataset.competition;
  const totals = rest?.provider.timeline.totals ?? new WaveTotals();
  const summary = played ?? { dataset, ...totals, seconds };
  const current = (): SimulationSummary =>
    rest === null ? summary : { ...summary, rest: { faults: rest.provider.faults.counts } };
  onSummary(current(), false);
  if (rest === null) return;
  if (!signal.aborted) await once(signal, 'abort');
  onSummary(current(), true);
}
