import { styleText } from 'node:util';
import { kafkaSettings } from '#service/config.ts';
import type { Dataset, MatchFacts } from '../../../data/dataset.ts';
import { backboneLines, dataDirFor, enterFolder } from '../../addresses.ts';
import type { Platform } from '../../platform.ts';
import {
  type DemoCheck,
  type DemoSummary,
  faultCounts,
  type Mismatch,
  officialText,
  type PlayOutcome,
  resultText,
  voidsOf,
} from './check.ts';
import { thousands } from './progress.ts';
import { renderTables, reportLine } from './tables.ts';
import type { ReceivedWebhooks } from './webhook.ts';

/** What the report of a demonstration shows. */
export type DemoReport = {
  readonly dataset: Dataset;
  readonly matches: readonly MatchFacts[];
  readonly wrong: readonly Mismatch[];
  readonly checks: readonly DemoCheck[];
  readonly summary: DemoSummary;
  readonly found: PlayOutcome;
  readonly webhook: ReceivedWebhooks;
};

/** Names of the injected faults. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  duplicate: 'sent twice',
  reorder: 'out of order',
  delay: 'late',
  drop: 'broken connections',
  signature: 'forged signatures',
  malformed: 'unreadable bodies',
  gzip: 'compressed',
  signed_ahead: 'signed by a clock ahead',
  stamped_ahead: 'times of a clock ahead',
  same_second: 'statuses in the second of an incident',
  goal_cancelled_twice: 'goals cancelled twice',
  odd_field: 'messages with odd fields',
  lagging_list: 'lists that lag',
  empty_list: 'empty lists',
};

/** Renders what was played, the outcome, and the checks. */
export function renderReport(report: DemoReport): string {
  const { dataset, matches, wrong, checks, summary, found, webhook } = report;
  const voids = voidsOf(found);
  const disallowed = voids.cancelled + voids.removed + voids.goal_cancelled;
  const counts = faultCounts(summary);
  const faults = Object.entries(FAULT_WORDS).map(
    ([fault, words]) => `${thousands(counts[fault] ?? 0)} ${words}`,
  );
  const ways = [
    `${voids.cancelled} cancelled`,
    `${voids.removed} deleted`,
    `${voids.goal_cancelled} by a goal-cancelled incident`,
  ];
  return [
    '',
    styleText(
      'bold',
      `${dataset.competition.season.name}: ${matches.length} matches in ${Math.round(summary.seconds)} s`,
    ),
    reportLine(
      'messages',
      `${thousands(found.messages)}, in ${thousands(summary.deliveries)} deliveries; ${thousands(summary.requests)} requests`,
    ),
    reportLine(
      'copies dropped',
      `${thousands(found.arrived - found.messages)} of ${thousands(found.arrived)} that arrived`,
    ),
    reportLine('faults', faults.slice(0, 3).join(', ')),
    ...[3, 6, 9, 11].map((from, n, all) => reportLine('', faults.slice(from, all[n + 1]).join(', '))),
    reportLine('goals disallowed', `${disallowed}: ${ways.join(', ')}`),
    reportLine('goals reviewed', `${summary.invented.review ?? 0} that stood`),
    reportLine('transitions', thousands(found.transitions)),
    reportLine(
      'webhook',
      `${thousands(webhook.messages)} messages to a client, in ${thousands(webhook.requests)} requests`,
    ),
    '',
    ...renderTables(dataset, matches, found.tables),
    '',
    ...checks.map(({ what, holds }) => tick(holds, what)),
    tick(wrong.length === 0, finalScores(matches, wrong)),
    ...wrong.map(mismatchLine(dataset)),
    '',
  ].join('\n');
}

type ServedPlatform = Pick<Platform, 'apiUrl' | 'toolsUrl' | 'newClient' | 'backbone' | 'prefix'>;

/**
 * Renders the commands that read the topics. `data`: the data folder and the prefix of the topics; `brokerRuns`: whether the
 * broker still runs; `running`: the platform, null when it was stopped.
 */
export function renderHowToRead(
  data: { readonly foundIn: string; readonly prefix: string },
  brokerRuns: boolean,
  running: ServedPlatform | null,
): string {
  const usualPrefix = kafkaSettings.TOPIC_PREFIX.parse(undefined);
  const inFolder = dataDirFor(data.foundIn);
  // Commands find the prefix of a running platform themselves.
  const ofPrefix = data.prefix === usualPrefix || running !== null ? '' : `TOPIC_PREFIX=${data.prefix} `;
  const again = [`  ${inFolder}${ofPrefix}npm run up`, '  and then, in another terminal'];
  return [
    ...(running === null
      ? ['Read the topics:']
      : [
          'Everything goes on until Ctrl-C.',
          ...addressLines(running),
          ...backboneLines(running),
          'Read the topics, from another terminal:',
        ]),
    enterFolder(),
    ...(brokerRuns ? [] : again),
    `  ${inFolder}${ofPrefix}npx touchline tail match-state --from-beginning --exit-at-end`,
    `  ${inFolder}${ofPrefix}npx touchline tail match-transitions --from-beginning --exit-at-end`,
    `  ${inFolder}${ofPrefix}npx touchline dead-letters list`,
    ...(running !== null
      ? []
      : ['Or have it go on next time, with a league season to watch:', '  npm start -- --keep']),
    '',
  ].join('\n');
}

function addressLines({ apiUrl, toolsUrl, newClient }: ServedPlatform): string[] {
  const board = `  ${apiUrl}/  live board, ${apiUrl}/docs  the REST contract`;
  if (newClient === null) return [board];
  const { id, secretKey } = newClient;
  return [
    board,
    `  curl "${apiUrl}/v2/oauth?client_id=${id}&secret_key=${secretKey}"  # a token to try it with`,
    `  curl ${toolsUrl}/api/v1/token -H 'content-type: application/json' -d '{"client_id":"${id}","secret_key":"${secretKey}"}'  # an access token for tools`,
  ];
}

function tick(holds: boolean, text: string): string {
  return `  ${holds ? styleText('green', '✓') : styleText(['bold', 'red'], '✗')} ${text}`;
}

function finalScores(matches: readonly MatchFacts[], wrong: readonly Mismatch[]): string {
  const right = matches.length - wrong.length;
  const shootOuts = matches.filter(({ pens }) => pens !== undefined).length;
  const besides = shootOuts === 0 ? '' : ` and ${shootOuts} shoot-outs`;
  return wrong.length === 0
    ? `all ${matches.length} final scores${besides} are the official ones`
    : `${right} of ${matches.length} final scores are the official ones; these are not:`;
}

function mismatchLine({ competition }: Dataset): (mismatch: Mismatch) => string {
  const name = (id: number): string => competition.teams.find((team) => team.id === id)?.short ?? String(id);
  return ({ facts, state }) => {
    const found =
      state === undefined
        ? 'missing'
        : `${resultText(pairOf(state.score), pairOf(state.shoot_out))}${state.status_type === 'finished' ? '' : `, not over (status ${state.status_id})`}`;
    return styleText(
      'red',
      `      ${name(facts.home)} - ${name(facts.away)} (event ${facts.id}): ${found}, officially ${officialText(facts)}`,
    );
  };
}

function pairOf(score: { home: number; away: number } | null): readonly [number, number] | null {
  return score === null ? null : [score.home, score.away];
}
