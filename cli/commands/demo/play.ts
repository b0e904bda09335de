import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { readPositions } from '#cluster/logs.ts';
import { parseJson } from '#json/values.ts';
import type { Score } from '#records/types.ts';
import { kafkaSettings } from '#service/config.ts';
import { SECRET_LENGTH } from '#signing/signing.ts';
import { followLogs } from '#streams/read/follow.ts';
import { machineClock } from '#timing/clock.ts';
import { poll } from '#timing/poll.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { streamTopics } from '#topics/processors.ts';
import {
  type Dataset,
  finalScore,
  type GoalPair,
  type MatchFacts,
  readDataset,
} from '../../../data/dataset.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { listFaultsOf } from '../../../services/simulator/rest/faults.ts';
import { backboneLines, dataDirFor, enterFolder } from '../../addresses.ts';
import { openCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import type { Platform, ProviderSettings } from '../../platform.ts';
import { ServiceProcess } from '../../processes.ts';
import { drawWhile } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { liveMatches } from '../live/board.ts';
import {
  checkTables,
  type Mismatch,
  mismatches,
  type PlayOutcome,
  progressLine,
  readOutcome,
} from './check.ts';

/** The platform that gets the messages, and its poller's settings for the REST interface that the simulator serves. */
export type PlayTarget = { readonly platform: Platform; readonly provider: ProviderSettings };

export type DemoPlay = PlayTarget & {
  readonly dataset: Dataset;
  readonly matches: Dataset['matches'];
  readonly settings: { readonly SEED: string; readonly FAULTS: string };
  readonly seconds: number;
  readonly summaryFile: string;
  readonly signal: AbortSignal;
};

const LINE_INTERVAL_MS = 3_000;
const POLL_MS = 200;

/**
 * Plays the matches, shows the progress and prints a report. Returns whether scores and tables are the official ones; null when `signal`
 * came first. Throws `CommandError` when the simulator fails.
 */
export async function playAndCheck(play: DemoPlay): Promise<boolean | null> {
  const { platform, dataset, matches, settings, summaryFile, signal } = play;
  const cluster = openCluster(platform.cluster);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const startedAt = performance.now();
  const live = liveMatches(cluster);
  const following = live.follow(stop, () => {});
  const { season } = dataset.competition;
  const progress = () =>
    progressLine(season.name, matches.length, live.states(), (performance.now() - startedAt) / 1_000);
  const showing = process.stdout.isTTY
    ? drawWhile(following, () => [progress(), '', ...live.boardLines(process.stdout.columns - 1)])
    : printNowAndThen(progress, stop);
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
      throw new CommandError(`simulator: failed, see ${platform.logFolder}/simulator.log`, 'PROCESS_FAILED');
    });
    const displayEnded = [following, showing].map((work) => work.then(() => null));
    const played = untilPlayed(summaryFile, stop);
    const summary = await Promise.race([played, failed, aborted, ...displayEnded]);
    if (summary === null) return null;
    await untilProcessed(cluster, signal);
    if (signal.aborted) return null;
    const found = await readOutcome(cluster);
    ended.abort();
    await showing;
    const wrong = mismatches(matches, found);
    const tables = checkTables(dataset, matches, found.tables);
    printLine(renderReport(play, summary, found.states, wrong, tables));
    return wrong.length === 0 && tables.right === tables.all;
  } finally {
    ended.abort();
    await simulator.stop();
    await Promise.allSettled([following, showing]);
  }
}

/** Waits for the summary that the simulator writes once every message is accepted. Null at `signal`. */
async function untilPlayed(file: string, signal: AbortSignal): Promise<PlaySummary | null> {
  // The file may be missing, or incomplete.
  const read = () => (existsSync(file) ? (parseJson(readFileSync(file, 'utf8')) as PlaySummary) : undefined);
  return (await poll(read, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: POLL_MS, signal })) ?? null;
}

async function printNowAndThen(line: () => string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await machineClock.sleep(LINE_INTERVAL_MS, signal);
    if (!signal.aborted) printLine(line());
  }
}

const PROCESSORS = ['match-processor', 'standings-processor'] as const;
/** A processor may be killed and restarted meanwhile. */
const PROCESSED_WITHIN = { timeoutMs: 120_000, everyMs: 200 };

/** Waits until the processors have processed all their input, until one takes too long, or until `signal`. */
async function untilProcessed({ brokers, prefix }: TopicCluster, signal: AbortSignal): Promise<void> {
  for (const processor of PROCESSORS) {
    const { application, input } = streamTopics(prefix, processor);
    // The offset after the last record of each partition, since transaction markers at the end are no input. Read once: the
    // previous processors are done, so the input is complete.
    const ends = new Map<number, number>();
    await followLogs({
      brokers,
      topics: [input],
      untilEnd: true,
      onBatch(batch) {
        for (const { partition, records } of batch) ends.set(partition, (records.at(-1)?.offset ?? -1) + 1);
      },
    });
    const isDone = async (): Promise<boolean> => {
      const positions = await readPositions({ brokers, application });
      return [...ends].every(([partition, end]) => (positions.get(partition) ?? 0) >= end);
    };
    await poll(isDone, { ...PROCESSED_WITHIN, signal });
  }
}

/** Starts a simulator with these settings: it sends webhooks and serves REST, whose lists have faults as the webhooks have. */
function startSimulator(
  { platform, provider }: PlayTarget,
  settings: Readonly<Record<string, string>> & { readonly FAULTS: string },
): ServiceProcess {
  return new ServiceProcess({
    name: 'simulator',
    settings: {
      WEBHOOK_URL: platform.webhookUrl,
      WEBHOOK_SECRET: platform.webhookSecret.secrets.slice(0, SECRET_LENGTH),
      REST_PORT: new URL(provider.PROVIDER_BASE_URL).port,
      REST_CLIENT_ID: provider.PROVIDER_CLIENT_ID,
      REST_SECRET_KEY: provider.PROVIDER_SECRET_KEY,
      REST_FAULTS: listFaultsOf(settings.FAULTS),
      ...settings,
    },
    logFile: join(platform.logFolder, 'simulator.log'),
    restart: false,
    onProblem: () => {},
  });
}

const DATASET = 'england-2017-18';
/** Whole weeks that move the season of 2017 after the tournament: a provider's time never goes back. */
const DAYS_LATER = 364;

/** Starts a simulator that plays a league season, and prints which. It serves REST until it is stopped, also after the last match. */
export function startLeague(
  played: PlayTarget,
  { SEED, FAULTS, SPEED }: DemoPlay['settings'] & { readonly SPEED: number },
): ServiceProcess {
  const { competition, matches } = readDataset(DATASET);
  const { name } = competition.season;
  printLine(`${name} is played now, ${SPEED} times as fast as life: ${matches.length} matches.`);
  return startSimulator(played, {
    DATASET,
    // These settings apply to the tournament only.
    MATCHES: '',
    DURATION: '',
    DAYS_LATER: String(DAYS_LATER),
    SPEED: Number.isFinite(SPEED) ? String(SPEED) : 'max',
    SEED,
    FAULTS,
  });
}

/** Renders what was played, and how scores and tables compare with the official ones: `wrong` scores, and the number of right tables. */
export function renderReport(
  { dataset, matches }: { readonly dataset: Dataset; readonly matches: readonly MatchFacts[] },
  summary: PlaySummary,
  states: PlayOutcome['states'],
  wrong: readonly Mismatch[],
  tables: ReturnType<typeof checkTables>,
): string {
  const voids = [...states.values()].flatMap(({ void_goals }) => Object.values(void_goals)).sort();
  const ways = [...Map.groupBy(voids, (why) => why)].map(([why, of]) => `${of.length} ${why}`);
  const faults = Object.entries(summary.faults).map(([fault, count]) => `${thousands(count)} ${fault}`);
  const line = (name: string, text: string) => `  ${styleText('gray', name.padEnd(17))} ${text}`;
  const { messages, deliveries, requests } = summary;
  const { season } = dataset.competition;
  const rightTables = `${tables.right} of ${tables.all}`;
  const sent = `${thousands(messages)}, in ${thousands(deliveries)} deliveries; ${thousands(requests)} requests`;
  return [
    '',
    styleText('bold', `${season.name}: ${matches.length} matches in ${Math.round(summary.seconds)} s`),
    line('messages', sent),
    line('faults', faults.join(', ')),
    line('goals disallowed', `${voids.length}: ${ways.join(', ')}`),
    '',
    tick(tables.right === tables.all, `every table has the official points and goals: ${rightTables}`),
    tick(wrong.length === 0, finalScores(matches.length, wrong.length)),
    ...wrong.map((one) => mismatchLine(dataset, one)),
    '',
  ].join('\n');
}

function thousands(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Renders the commands that read the topics, whose data is in a folder. `isKept`: whether the platform still runs. */
export function renderHowToRead(platform: Platform, folder: string, isKept: boolean): string {
  const { cluster, backbone, apiUrl, toolsUrl, newClient } = platform;
  const usualPrefix = kafkaSettings.TOPIC_PREFIX.parse(undefined);
  // Commands find the prefix of a running platform themselves.
  const ofPrefix = cluster.prefix === usualPrefix || isKept ? '' : `TOPIC_PREFIX=${cluster.prefix} `;
  const here = `  ${dataDirFor(folder)}${ofPrefix}`;
  const lines: string[] = [];
  if (isKept) {
    lines.push(
      'Everything goes on until Ctrl-C.',
      `  ${apiUrl}/  live board, ${apiUrl}/docs  the REST contract`,
    );
    if (newClient !== null) {
      const { id, secretKey } = newClient;
      const credentials = `{"client_id":"${id}","secret_key":"${secretKey}"}`;
      lines.push(
        `  curl "${apiUrl}/v2/oauth?client_id=${id}&secret_key=${secretKey}"  # a token to try it with`,
        `  curl ${toolsUrl}/api/v1/token -H 'content-type: application/json' -d '${credentials}'  # an access token for tools`,
      );
    }
    lines.push(...backboneLines(cluster));
  }
  lines.push(isKept ? 'Read the topics, from another terminal:' : 'Read the topics:', enterFolder());
  if (!isKept && backbone.kind !== 'configured')
    lines.push(`${here}npm run up`, 'and then, in another terminal:');
  const tail = (topic: string) => `${here}npx touchline tail ${topic} --from-beginning --exit-at-end`;
  lines.push(tail('match-state'), tail('match-transitions'), `${here}npx touchline dead-letters list`);
  if (!isKept)
    lines.push('Or have it go on next time, with a league season to watch:', '  npm start -- --keep');
  return `${lines.join('\n')}\n`;
}

function tick(holds: boolean, text: string): string {
  return `  ${holds ? styleText('green', '✓') : styleText(['bold', 'red'], '✗')} ${text}`;
}

function finalScores(all: number, wrong: number): string {
  if (wrong === 0) return `all ${all} final scores are the official ones`;
  return `${all - wrong} of ${all} final scores are the official ones; these are not:`;
}

function mismatchLine({ competition }: Dataset, { facts, state }: Mismatch): string {
  const name = (id: number): string => competition.teams.find((team) => team.id === id)?.short ?? String(id);
  const official = resultText(finalScore(facts), facts.pens);
  const end = state?.status_type === 'finished' ? '' : `, not over (status ${state?.status_id})`;
  const found =
    state === undefined ? 'missing' : resultText(pairOf(state.score), pairOf(state.shoot_out)) + end;
  const sides = `${name(facts.home)} - ${name(facts.away)}`;
  return styleText('red', `      ${sides} (event ${facts.id}): ${found}, officially ${official}`);
}

function pairOf(score: Score | null): GoalPair | undefined {
  return score === null ? undefined : [score.home, score.away];
}

function resultText(score: GoalPair | undefined, pens: GoalPair | undefined): string {
  return `${score?.join('-') ?? '?-?'}${pens === undefined ? '' : ` (${pens.join('-')} on penalties)`}`;
}
