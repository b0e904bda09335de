import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { parseJson } from '#contract/values.ts';
import { machineClock } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { type OpenCluster, openCluster } from '../../cluster.ts';
import type { Platform, ProviderAccess } from '../../platform.ts';
import { ProcessError, type ServiceProcess } from '../../processes.ts';
import { drawWhile } from '../../screen.ts';
import { printLine } from '../../terminal.ts';
import { boardLines } from '../live/board.ts';
import { LiveMatches } from '../live/live-matches.ts';
import { checksOf, checkWebhook, findAll, mismatches } from './check.ts';
import { checkTools } from './exchange.ts';
import { DemoProgress } from './progress.ts';
import { renderReport } from './report.ts';
import { settled } from './settled.ts';
import { startSimulator } from './simulator.ts';
import { checkTables } from './tables.ts';
import type { DemoWebhook } from './webhook.ts';

/** What is played, and where. */
export type DemoPlay = {
  readonly platform: Platform;
  /** What the simulator serves REST as. */
  readonly provider: ProviderAccess;
  readonly dataset: Dataset;
  readonly matches: Dataset['matches'];
  readonly settings: { readonly SEED: string; readonly FAULTS: string; readonly DURATION: number };
  /** File for the simulator's summary. */
  readonly summaryFile: string;
  /** A client that is sent everything. */
  readonly webhook: DemoWebhook;
  readonly signal: AbortSignal;
};

const LINE_EVERY = 3_000;
const LOOK_EVERY = 200;
/** How long the other services wait for the first goal: their start would take the cores from it. */
const GOAL_WITHIN = 8_000;

/**
 * Plays, shows the play, and reports the outcome. Resolves to whether every check holds; null if `signal` came first.
 * Throws `ProcessError` where the simulator fails.
 */
export async function playAndCheck(play: DemoPlay): Promise<boolean | null> {
  const { platform, dataset, matches, signal } = play;
  const { brokers, registryUrl } = platform.backbone;
  const cluster = openCluster({ brokers, registryUrl, prefix: platform.prefix });
  const progress = new DemoProgress(dataset, matches.length);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const watching = progress.follow(cluster, stop);
  const showing = show(() => progress.line(seconds()), cluster, stop);
  const simulator = startTournament(play);
  try {
    const aborted = once(stop, 'abort').then(() => null);
    const failed = simulator.ended.then(() => {
      throw new ProcessError('simulator', `failed, see ${platform.logFolder}/simulator.log`);
    });
    const played = summaryIn(play.summaryFile, stop);
    const done = startRestAfterGoal(platform, progress, stop).then(() => played);
    const ended = [watching.then(() => null), showing.then(() => null)];
    const summary = await Promise.race([done, failed, aborted, ...ended]);
    if (summary === null) return null;
    await settled(cluster, signal);
    if (signal.aborted) return null;
    const found = await findAll(cluster);
    // What follows the topics may be a moment late.
    for (const state of found.states.values()) progress.state(state);
    over.abort();
    await showing;
    const wrong = mismatches(matches, found);
    const webhook = await play.webhook.settled(found.states, signal);
    const checks = [
      ...checksOf(summary, found),
      checkTables(dataset, matches, found.tables),
      checkWebhook(webhook),
      ...(await checkTools(platform, matches, signal)),
    ];
    const report = { dataset, matches, wrong, checks, summary, found, webhook, seconds: summary.seconds };
    process.stdout.write(`${renderReport(report)}\n`);
    return wrong.length === 0 && checks.every(({ holds }) => holds);
  } finally {
    over.abort();
    await simulator.stop();
    await Promise.allSettled([watching, showing]);
  }
}

function startTournament(play: DemoPlay): ServiceProcess {
  const { dataset, matches, settings, summaryFile } = play;
  return startSimulator(play, {
    DATASET: dataset.competition.dataset,
    MATCHES: String(matches.length),
    DURATION: String(settings.DURATION),
    SEED: settings.SEED,
    FAULTS: settings.FAULTS,
    SUMMARY_FILE: summaryFile,
  });
}

async function startRestAfterGoal(
  platform: Platform,
  progress: DemoProgress,
  signal: AbortSignal,
): Promise<void> {
  await poll(() => progress.hasGoal(), { timeoutMs: GOAL_WITHIN, everyMs: LOOK_EVERY, signal });
  if (!signal.aborted) await platform.startRest();
}

/** The simulator's summary once everything is published and accepted; it keeps serving REST. Null at `signal`. */
async function summaryIn(file: string, signal: AbortSignal): Promise<PlaySummary | null> {
  // Not there yet, or only half written.
  const read = () => (existsSync(file) ? (parseJson(readFileSync(file, 'utf8')) as PlaySummary) : undefined);
  return (await poll(read, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: LOOK_EVERY, signal })) ?? null;
}

/** Draws the progress and the live matches in their place on a terminal, else says a line now and then, until `signal`. */
async function show(progress: () => string, cluster: OpenCluster, signal: AbortSignal): Promise<void> {
  const { stdout } = process;
  if (!stdout.isTTY) {
    for (;;) {
      await machineClock.sleep(LINE_EVERY, signal);
      if (signal.aborted) return;
      printLine(progress());
    }
  }
  const matches = new LiveMatches(cluster);
  await drawWhile(
    matches.follow(signal, () => {}),
    () => {
      const now = { wall: Date.now(), steady: performance.now() };
      const room = { columns: stdout.columns - 1, rows: stdout.rows - 3 };
      return [
        progress(),
        '',
        ...boardLines(matches.matches(now), matches.sources(now), { now: now.wall, room }),
      ];
    },
  );
}
