import { once } from 'node:events';
import { join } from 'node:path';
import type { z } from 'zod';
import { newSecret } from '#clients/keys.ts';
import { urlHost } from '#service/addresses.ts';
import { loadConfig } from '#service/config.ts';
import { readDataset } from '../../../data/dataset.ts';
import type { GivenTo } from '../../command.ts';
import { type Platform, type PlatformOptions, type ProviderSettings, startPlatform } from '../../platform.ts';
import { PORT_SETTINGS, requireBrokers } from '../../platform-settings.ts';
import { isFree, portFor } from '../../ports.ts';
import { platformStopRequests, printLine } from '../../terminal.ts';
import { isInUse } from './check.ts';
import { type command, config, PLAY_SECONDS } from './command.ts';
import { claimDemoFolder } from './folder.ts';
import { type PlayTarget, playAndCheck, renderHowToRead, startLeague } from './play.ts';

const EXIT = { ok: 0, wrong: 1, stopped: 130 } as const;

type DemoSettings = z.output<typeof config>;

export async function run(...[options]: GivenTo<typeof command>): Promise<number> {
  const { keep = false } = options;
  const settings = loadConfig(config, process.env);
  requireBrokers(settings);
  const stopRequests = platformStopRequests(EXIT.stopped);
  const { signal } = stopRequests;
  const dataset = readDataset(settings.DATASET);
  const matches = dataset.matches.slice(0, settings.MATCHES ?? dataset.matches.length);
  const folder = claimDemoFolder(settings.DATA_DIR);
  const seconds = settings.DURATION ?? (keep ? PLAY_SECONDS.kept : PLAY_SECONDS.alone);
  const warning = seconds < PLAY_SECONDS.kept ? ': a match may be over before its feed is believed' : '';
  printLine(`Touchline plays ${matches.length} real matches in ${Math.round(seconds)} seconds${warning}.\n`);
  const provider = await simulatedProvider(settings.LISTEN_HOST);
  const platform = await startDemoPlatform(settings, {
    dataDir: folder.path,
    serviceSettings: {
      // Opens the board to the user of this machine; a deployment sets this itself.
      API_BOARD: process.env.API_BOARD ?? 'on',
      // The matches are of another year, and played faster than life.
      DELAYED_AFTER_MS: '0',
    },
    provider,
    isShort: !keep,
  });
  stopRequests.hasStarted = true;
  try {
    const summaryFile = join(folder.path, 'summary.json');
    const play = { platform, provider, dataset, matches, settings, seconds, summaryFile, signal };
    const passed = await playAndCheck(play);
    if (passed === null) {
      printLine('Stopping …');
      return EXIT.stopped;
    }
    printLine(renderHowToRead(platform, folder.path, keep));
    if (keep && !signal.aborted) await playLeague(play, settings, signal);
    return passed ? EXIT.ok : EXIT.wrong;
  } finally {
    await platform.stop();
    folder.release();
  }
}

/** Starts the platform, and prints its address and what differs from the settings. Throws what `startPlatform` throws. */
async function startDemoPlatform(
  settings: DemoSettings,
  options: Omit<PlatformOptions, 'settings' | 'prefixFor' | 'onProgress' | 'onProblem'>,
): Promise<Platform> {
  const note = (line: string) => printLine(`  ${line}`);
  const ports: Partial<Record<(typeof PORT_SETTINGS)[number], 0>> = {};
  if (options.dataDir !== settings.DATA_DIR)
    note(
      `the data is in ${options.dataDir}: ${settings.DATA_DIR} holds other data, or a demonstration runs there`,
    );
  for (const setting of PORT_SETTINGS) {
    if (process.env[setting] || (await isFree(settings[setting], settings.LISTEN_HOST))) continue;
    note(`port ${settings[setting]} is in use: ${setting} is another one`);
    ports[setting] = 0;
  }
  let isStarting = true;
  const platform = await startPlatform({
    ...options,
    settings: { ...settings, ...ports },
    prefixFor: async (addresses) => {
      const usual = settings.TOPIC_PREFIX;
      if (!(await isInUse({ ...addresses, prefix: usual }))) return usual;
      const own = `${usual}demo-${new Date().toISOString().slice(0, 19).replace(/\D/g, '')}.`;
      note(`the topics are ${own}*: those of ${usual}* have records`);
      return own;
    },
    // Services are restarted; later problems go to their logs, not into the drawn progress.
    onProgress: (line) => isStarting && note(line),
    onProblem: () => {},
  });
  isStarting = false;
  note(platform.backbone.why);
  note(`live board: ${platform.apiUrl}/\n`);
  return platform;
}

async function playLeague(target: PlayTarget, settings: DemoSettings, signal: AbortSignal): Promise<void> {
  const league = settings.AFTERWARDS === 'nothing' ? null : startLeague(target, settings);
  void league?.ended.then(() => {
    if (!signal.aborted) printLine(`The league ended early, see ${target.platform.logFolder}/simulator.log.`);
  });
  await once(signal, 'abort');
  printLine('Stopping …');
  await league?.stop();
}

/** Returns the poller's settings for the simulator's REST interface. Its clock runs fast, so the periods are short. */
async function simulatedProvider(host: string): Promise<ProviderSettings> {
  return {
    PROVIDER_BASE_URL: `http://${urlHost(host)}:${await portFor(0, 'REST_PORT', host)}`,
    PROVIDER_CLIENT_ID: '1',
    PROVIDER_SECRET_KEY: newSecret(),
    FEED_PERIOD_MS: '500',
    FEED_WINDOW_SECONDS: '7200',
    LIVESCORE_PERIOD_MS: '2000',
    SCHEDULE_PERIOD_MS: '5000',
    CATALOGUE_PERIOD_MS: '30000',
    UNCONFIRMED_PERIOD_MS: '500',
    SILENCE_MS: '5000',
    VERIFY_PERIOD_MS: '5000',
    // The simulator does not run yet, or any more.
    RETRY_CEILING_MS: '2000',
  };
}
