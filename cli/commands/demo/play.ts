import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { TopicCluster } from '#topics/read-values.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import type { Platform, ProviderAccess } from '../../platform.ts';
import { ProcessError, type ServiceProcess } from '../../processes.ts';
import { drawWhile } from '../../screen.ts';
import { DemoBoard } from './board.ts';
import { checksOf, checkWebhook, findAll, mismatches } from './check.ts';
import { checkTools } from './exchange.ts';
import { renderReport } from './report.ts';
import { pause, settled } from './settled.ts';
import { startSimulator } from './simulator.ts';
import { renderProgress, renderTable } from './table.ts';
import { checkTables } from './tables.ts';
import { watch } from './watch.ts';
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
  const place: TopicCluster = { brokers, registryUrl, prefix: platform.prefix };
  const board = new DemoBoard(dataset, matches.length);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const watching = watch(place, board, stop);
  const showing = show(board, seconds, stop);
  const simulator = startTournament(play);
  try {
    const aborted = once(stop, 'abort').then(() => null);
    const failed = simulator.ended.then(() => {
      throw new ProcessError('simulator', `failed, see ${platform.logFolder}/simulator.log`);
    });
    const played = summaryIn(play.summaryFile, stop);
    const done = startRestAfterGoal(platform, board, stop).then(() => played);
    const summary = await Promise.race([done, failed, aborted, watching.then(() => null)]);
    if (summary === null) return null;
    await settled(place, signal);
    if (signal.aborted) return null;
    const found = await findAll(place);
    // The readers behind the table may be a moment late.
    for (const state of found.states.values()) board.state(state);
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

async function startRestAfterGoal(platform: Platform, board: DemoBoard, signal: AbortSignal): Promise<void> {
  const until = performance.now() + GOAL_WITHIN;
  while (board.totals().goals === 0 && performance.now() < until)
    if (!(await pause(LOOK_EVERY, signal))) return;
  await platform.startRest();
}

/** The simulator's summary once everything is published and accepted; it keeps serving REST. Null at `signal`. */
async function summaryIn(file: string, signal: AbortSignal): Promise<PlaySummary | null> {
  do {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as PlaySummary;
    } catch {
      // Not there yet, or only half written.
    }
  } while (await pause(LOOK_EVERY, signal));
  return null;
}

/** Draws the table in its place on a terminal, else says a line now and then, until `signal`. */
async function show(board: DemoBoard, seconds: () => number, signal: AbortSignal): Promise<void> {
  const { stdout } = process;
  if (!stdout.isTTY) {
    while (await pause(LINE_EVERY, signal)) stdout.write(`${renderProgress(board, seconds())}\n`);
    return;
  }
  const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  await drawWhile(aborted, () =>
    renderTable(board, { columns: stdout.columns, rows: stdout.rows, seconds: seconds() }),
  );
}
