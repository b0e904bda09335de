import { styleText } from 'node:util';
import type { Score } from '#records/types.ts';
import { kafkaSettings } from '#service/config.ts';
import { type Dataset, finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { backboneLines, dataDirFor, enterFolder } from '../../addresses.ts';
import type { Platform } from '../../platform.ts';
import type { checkTables, Mismatch, PlayOutcome } from './check.ts';

/** Names of the injected faults. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  duplicate: 'sent twice',
  reorder: 'out of order',
  delay: 'late',
  drop: 'broken connections',
  signature: 'forged signatures',
  malformed: 'unreadable bodies',
};

/** The ways in which goals are disallowed, by the reasons of match-state. */
const WAYS: Readonly<Record<string, string>> = {
  cancelled: 'cancelled',
  removed: 'deleted',
  goal_cancelled: 'by a goal-cancelled incident',
};

/** Renders what was played, and how scores and tables compare with the official ones: `wrong` scores, and the number of right tables. */
export function renderReport(
  { dataset, matches }: { readonly dataset: Dataset; readonly matches: readonly MatchFacts[] },
  summary: PlaySummary,
  states: PlayOutcome['states'],
  wrong: readonly Mismatch[],
  tables: ReturnType<typeof checkTables>,
): string {
  const voids = [...states.values()].flatMap(({ void_goals }) => Object.values(void_goals));
  const ways = Object.entries(WAYS).map(
    ([reason, words]) => `${voids.filter((why) => why === reason).length} ${words}`,
  );
  const faults = Object.entries(FAULT_WORDS).map(
    ([fault, words]) => `${thousands(summary.faults[fault] ?? 0)} ${words}`,
  );
  return [
    '',
    styleText(
      'bold',
      `${dataset.competition.season.name}: ${matches.length} matches in ${Math.round(summary.seconds)} s`,
    ),
    reportLine(
      'messages',
      `${thousands(summary.messages)}, in ${thousands(summary.deliveries)} deliveries; ${thousands(summary.requests)} requests`,
    ),
    reportLine('faults', faults.slice(0, 3).join(', ')),
    reportLine('', faults.slice(3).join(', ')),
    reportLine('goals disallowed', `${voids.length}: ${ways.join(', ')}`),
    '',
    tick(
      tables.right === tables.all,
      `every table has the official points and goals: ${tables.right} of ${tables.all}`,
    ),
    tick(wrong.length === 0, finalScores(matches, wrong.length)),
    ...wrong.map((one) => mismatchLine(dataset, one)),
    '',
  ].join('\n');
}

/** Returns a number with commas between thousands. */
function thousands(value: number): string {
  return value.toLocaleString('en-GB');
}

function reportLine(name: string, text: string): string {
  return `  ${styleText('gray', name.padEnd(17))} ${text}`;
}

/** Renders the commands that read the topics, whose data is in a folder. `isKept`: whether the platform still runs. */
export function renderHowToRead(platform: Platform, folder: string, isKept: boolean): string {
  const { cluster, backbone, apiUrl, toolsUrl, newClient } = platform;
  const usualPrefix = kafkaSettings.TOPIC_PREFIX.parse(undefined);
  // Commands find the prefix of a running platform themselves.
  const ofPrefix = cluster.prefix === usualPrefix || isKept ? '' : `TOPIC_PREFIX=${cluster.prefix} `;
  const here = `  ${dataDirFor(folder)}${ofPrefix}`;
  const credentials = newClient && `{"client_id":"${newClient.id}","secret_key":"${newClient.secretKey}"}`;
  const running = [
    'Everything goes on until Ctrl-C.',
    `  ${apiUrl}/  live board, ${apiUrl}/docs  the REST contract`,
    ...(newClient === null
      ? []
      : [
          `  curl "${apiUrl}/v2/oauth?client_id=${newClient.id}&secret_key=${newClient.secretKey}"  # a token to try it with`,
          `  curl ${toolsUrl}/api/v1/token -H 'content-type: application/json' -d '${credentials}'  # an access token for tools`,
        ]),
    ...backboneLines(cluster),
    'Read the topics, from another terminal:',
  ];
  return [
    ...(isKept ? running : ['Read the topics:']),
    enterFolder(),
    ...(isKept || backbone.kind === 'configured'
      ? []
      : [`${here}npm run up`, '  and then, in another terminal']),
    `${here}npx touchline tail match-state --from-beginning --exit-at-end`,
    `${here}npx touchline tail match-transitions --from-beginning --exit-at-end`,
    `${here}npx touchline dead-letters list`,
    ...(isKept
      ? []
      : ['Or have it go on next time, with a league season to watch:', '  npm start -- --keep']),
    '',
  ].join('\n');
}

function tick(holds: boolean, text: string): string {
  return `  ${holds ? styleText('green', '✓') : styleText(['bold', 'red'], '✗')} ${text}`;
}

function finalScores(matches: readonly MatchFacts[], wrong: number): string {
  if (wrong > 0)
    return `${matches.length - wrong} of ${matches.length} final scores are the official ones; these are not:`;
  const shootOuts = matches.filter(({ pens }) => pens !== undefined).length;
  const besides = shootOuts === 0 ? '' : ` and ${shootOuts} shoot-outs`;
  return `all ${matches.length} final scores${besides} are the official ones`;
}

function mismatchLine({ competition }: Dataset, { facts, state }: Mismatch): string {
  const name = (id: number): string => competition.teams.find((team) => team.id === id)?.short ?? String(id);
  const official = resultText(pairOf(finalScore(facts)), pairOf(facts.pens));
  const end = state?.status_type === 'finished' ? '' : `, not over (status ${state?.status_id})`;
  const found = state === undefined ? 'missing' : resultText(state.score, state.shoot_out) + end;
  return styleText(
    'red',
    `      ${name(facts.home)} - ${name(facts.away)} (event ${facts.id}): ${found}, officially ${official}`,
  );
}

function pairOf(goals: GoalPair | undefined): Score | null {
  return goals === undefined ? null : { home: goals[0], away: goals[1] };
}

/** Returns a score and a shoot-out as text. */
function resultText(score: Score | null, pens: Score | null): string {
  const pair = ({ home, away }: Score): string => `${home}-${away}`;
  if (score === null) return '?-?';
  return pens === null ? pair(score) : `${pair(score)} (${pair(pens)} on penalties)`;
}
