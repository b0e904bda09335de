import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { CLIENTS_KEY } from './api-process.ts';
import { createTopicsWithClient } from './api-topics.ts';
import { type Bench, type BenchContext, connectionEnv, format } from './context.ts';
import { answered, type Running, startService } from './processes.ts';
import { sizeOf } from './size.ts';

const SERVICES = [
  'webhook-receiver',
  'match-processor',
  'standings-processor',
  'feed-poller',
  'feed-monitor',
  'webhook-dispatcher',
  'api',
  'tool-gateway',
];
const PLAY_SECONDS = sizeOf(null, 40, 8);
const PLAY_WITHIN_MS = 120_000;
/** Idle time before the services count as at rest. */
const CALM_MS = sizeOf(null, 30_000, 500);
const MEASURE_MS = sizeOf(null, 15_000, 1_000);
const POLL_MS = 200;
/** Limits of the poller at rest: MiB, and share of a core. */
const LIMITS = { mib: 200, core: 0.01 };

type Service = { readonly name: string; readonly process: Running; readonly opsPort: number };
type Sample = ReadonlyMap<string, { readonly mib: number; readonly core: number }>;

/**
 * Measures the memory of each service before, during and after a tournament by webhook and by REST, as in the
 * demonstration; afterwards with a provider that still answers, and with one that is down.
 */
export const bench: Bench = {
  about:
    'resident memory of every service, idle, under load and at rest after it; the poller at rest beside limits',
  subject: ['libs', 'services'],
  async run(context) {
    const prefix = context.prefix('rest');
    await createTopicsWithClient(context, prefix);
    const [webhookPort, restPort] = [await freePort(), await freePort()];
    const secrets = { webhook: randomBytes(16).toString('hex'), rest: randomBytes(16).toString('hex') };
    const env = {
      ...connectionEnv(context, prefix),
      CLIENTS_KEY,
      API_PORT: '0',
      TOOLS_PORT: '0',
      DISPATCHER_PORT: '0',
      WEBHOOK_PORT: String(webhookPort),
      WEBHOOK_SECRET: secrets.webhook,
      PROVIDER_BASE_URL: `http://127.0.0.1:${restPort}`,
      PROVIDER_CLIENT_ID: '1',
      PROVIDER_SECRET_KEY: secrets.rest,
      // The demonstration's periods for a provider with such a fast clock.
      FEED_PERIOD_MS: '500',
      FEED_WINDOW_SECONDS: '7200',
      LIVESCORE_PERIOD_MS: '2000',
      SCHEDULE_PERIOD_MS: '5000',
      CATALOGUE_PERIOD_MS: '30000',
      UNCONFIRMED_PERIOD_MS: '5000',
      // Otherwise the poller checks finished matches for another minute and is not idle.
      FEED_SETTLE_SECONDS: '15',
      SILENCE_MS: '5000',
      VERIFY_PERIOD_MS: '5000',
      RETRY_CEILING_MS: '2000',
    };
    const services: Service[] = [];
    for (const name of SERVICES) {
      const opsPort = await freePort();
      const settings = { ...env, DATA_DIR: join(context.dir, name), METRICS_PORT: String(opsPort) };
      services.push({ name, process: startService(name, context.dir, settings), opsPort });
    }
    await Promise.all(services.map(({ opsPort }) => answered(opsPort, '/health/ready')));
    const idle = await atRest(services);
    const summaryFile = join(context.dir, 'rest-summary.json');
    const simulator = startService('simulator', context.dir, {
      WEBHOOK_URL: `http://127.0.0.1:${webhookPort}/webhook`,
      WEBHOOK_SECRET: secrets.webhook,
      REST_PORT: String(restPort),
      REST_SECRET_KEY: secrets.rest,
      DURATION: String(PLAY_SECONDS),
      FAULTS: 'some',
      SUMMARY_FILE: summaryFile,
    });
    const deadline = performance.now() + PLAY_WITHIN_MS;
    while (!existsSync(summaryFile)) {
      if (performance.now() > deadline) throw new Error('the tournament was not played in time');
      await delay(POLL_MS);
    }
    const answering = await atRest(services);
    const peaks = new Map<string, number>();
    for (const { name, process } of services) peaks.set(name, (await process.residentMiB()).peak);
    await simulator.stop();
    const gone = await atRest(services);
    for (const { name } of services) {
      context.print(
        `${name.padEnd(20)} idle ${memory(idle, name)}, under load ${format(peaks.get(name) ?? Number.NaN)} MiB at most; ` +
          `at rest ${memory(answering, name)}; the provider gone ${memory(gone, name)}`,
      );
    }
    pollerFigures(context, 'provider answers', answering);
    pollerFigures(context, 'provider gone', gone);
    await Promise.all(services.map(({ process }) => process.stop()));
  },
};

/** Returns the memory after an idle period, and the cpu time during the next one. */
async function atRest(services: readonly Service[]): Promise<Sample> {
  await delay(CALM_MS);
  const before = await Promise.all(services.map(({ process }) => process.cpuSeconds()));
  await delay(MEASURE_MS);
  const entries = await Promise.all(
    services.map(async ({ name, process }, at) => {
      const seconds = (await process.cpuSeconds()) - (before[at] ?? Number.NaN);
      return [
        name,
        { mib: (await process.residentMiB()).now, core: seconds / (MEASURE_MS / 1_000) },
      ] as const;
    }),
  );
  return new Map(entries);
}

function memory(sample: Sample, name: string): string {
  const { mib, core } = sample.get(name) ?? { mib: Number.NaN, core: Number.NaN };
  return `${format(mib)} MiB, ${format(core * 100)} % of a core`;
}

function pollerFigures({ figure }: BenchContext, when: string, sample: Sample): void {
  const { mib, core } = sample.get('feed-poller') ?? { mib: Number.NaN, core: Number.NaN };
  const add = (name: string, unit: string, ours: number, value: number) =>
    figure({ name, unit, ours, beside: { name: 'limit', value }, better: 'less', target: 1 });
  add(`poller at rest, ${when}: memory`, 'MiB', mib, LIMITS.mib);
  add(`poller at rest, ${when}: processor`, '% of a core', core * 100, LIMITS.core * 100);
}
