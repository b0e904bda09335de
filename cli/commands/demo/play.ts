import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { parseJson } from '#json/values.ts';
import { machineClock } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import type { Dataset } from '../../../data/dataset.ts';
import { type OpenCluster, openCluster } from '../../cluster.ts';
import type { Platform, ProviderSettings } from '../../platform.ts';
import { ProcessError } from '../../processes.ts';
import { drawWhile } from '../../screen.ts';
import { printLine } from '../../terminal.ts';
import { LiveMatches } from '../live/live-matches.ts';
import { checkFaults, checksOf, checkWebhook, type DemoSummary, mismatches, readOutcome } from './check.ts';
import { checkTools } from './exchange.ts';
import { DemoProgress } from './progress.ts';
import { renderReport } from './report.ts';
import { untilProcessed } from './settled.ts';
import { startSimulator } from './simulator.ts';
import { checkTables } from './tables.ts';
import type { DemoWebhook } from './webhook.ts';

/** A play: its matches, and where they are played. */
export type DemoPlay = {
  readonly platform: Platform;
  /** The poller's settings for the REST interface that the simulator serves. */
  readonly provider: ProviderSettings;
  readonly dataset: Dataset;
  readonly matches: Dataset['matches'];
  readonly settings: { readonly SEED: string; readonly FAULTS: string };
  /** Duration of the play. */
  readonly seconds: number;
  /** The file that the simulator writes its summary to. */
  readonly summaryFile: string;
  /** A client that gets every message. */
  readonly webhook: DemoWebhook;
  readonly signal: AbortSignal;
};

/** Interval between lines of progress without a terminal. */
const LINE_INTERVAL_MS = 3_000;
const POLL_MS = 200;
/** Longest delay of the other services until the first goal: their start would delay it. */
const FIRST_GOAL_TIMEOUT_MS = 8_000;

/**
 * Plays the matches, shows the progress and prints a report. Returns whether every check holds; null when `signal` came first.
 * Throws `ProcessError` when the simulator fails.
 */
export async function playAndCheck(play: DemoPlay): Promise<boolean | null> {
  const { platform, dataset, matches, settings, summaryFile, signal } = play;
  const { brokers, registryUrl } = platform.backbone;
  const cluster = openCluster({ brokers, registryUrl, prefix: platform.prefix });
  const progress = new DemoProgress(dataset, matches.length);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const following = progress.follow(cluster, stop);
  const showing = showProgress(() => progress.line(seconds()), cluster, stop);
  const simulator = startSimulator(play, {
    DATASET: dataset.competition.dataset,
    MATCHES: String(matches.length),
    DURATION: String(play.seconds),
    SEED: settings.SEED,
    FAULTS: settings.FAULTS,
    SUMMARY_FILE: summaryFile,
  });
  try {
    const aborted = once(stop, 'abort').then(() => null);
    const failed = simulator.ended.then(() => {
      throw new ProcessError('simulator', `failed, see ${platform.logFolder}/simulator.log`);
    });
    const played = untilPlayed(summaryFile, stop);
    const done = startRestAfterGoal(platform, progress, stop).then(() => played);
    const displayEnded = [following, showing].map((work) => work.then(() => null));
    const summary = await Promise.race([done, failed, aborted, ...displayEnded]);
    if (summary === null) return null;
    await untilProcessed(cluster, signal);
    if (signal.aborted) return null;
    const found = await readOutcome(cluster);
    // The follower of the topics may be a moment late.
    for (const state of found.states.values()) progress.apply(state);
    ended.abort();
    await showing;
    const wrong = mismatches(matches, found);
    const webhook = await play.webhook.untilReceived(found.states, signal);
    const checks = [
      ...checksOf(summary, found),
      checkFaults(settings.FAULTS, summary),
      checkTables(dataset, matches, found.tables),
      checkWebhook(webhook),
      ...(await checkTools(platform, matches, signal)),
    ];
    const report = { dataset, matches, wrong, checks, summary, found, webhook };
    printLine(renderReport(report));
    return wrong.length === 0 && checks.every(({ holds }) => holds);
  } finally {
    ended.abort();
    await simulator.stop();
    await Promise.allSettled([following, showing]);
  }
}

async function startRestAfterGoal(
  platform: Platform,
  progress: DemoProgress,
  signal: AbortSignal,
): Promise<void> {
  await poll(() => progress.hasGoal(), { timeoutMs: FIRST_GOAL_TIMEOUT_MS, everyMs: POLL_MS, signal });
  if (!signal.aborted) await platform.startRest();
}

/** Waits for the summary that the simulator writes once every message is accepted. Null at `signal`. */
async function untilPlayed(file: string, signal: AbortSignal): Promise<DemoSummary | null> {
  // The file may be missing, or incomplete.
  const read = () => (existsSync(file) ? (parseJson(readFileSync(file, 'utf8')) as DemoSummary) : undefined);
  return (await poll(read, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: POLL_MS, signal })) ?? null;
}

/** Redraws the progress and the live matches on a terminal, else prints a line now and then, until `signal`. */
async function showProgress(
  progress: () => string,
  cluster: OpenCluster,
  signal: AbortSignal,
): Promise<void> {
  const { stdout } = process;
  if (!stdout.isTTY) {
    for (;;) {
      await machineClock.sleep(LINE_INTERVAL_MS, signal);
      if (signal.aborted) return;
      printLine(progress());
    }
  }
  const matches = new LiveMatches(cluster);
  await drawWhile(
    matches.follow(signal, () => {}),
    () => [progress(), '', ...matches.boardLines(stdout.columns - 1)],
  );
}
