import { styleText } from 'node:util';
import type { Score } from '#records/types.ts';
import { kafkaSettings } from '#service/config.ts';
import { type Dataset, finalScore, type GoalPair, type MatchFacts } from '../../../data/dataset.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { backboneLines, dataDirFor, enterFolder } from '../../addresses.ts';
import type { Platform } from '../../platform.ts';
import type { checkTables, Mismatch, PlayOutcome } from './check.ts';

/** Renders what was played, and how scores and tables compare with the official ones: `wrong` scores, and the number of right tables. */
export function renderReport(
  { dataset, matches }: { readonly dataset: Dataset; readonly matches: readonly MatchFacts[] },
  summary: PlaySummary,
  states: PlayOutcome['states'],
  wrong: readonly Mismatch[],
  tables: ReturnType<typeof checkTables>,
): string {
  const voids = [...states.values()].flatMap(({ void_goals }) => Object.values(void_goals));
  const ways = [...Map.groupBy(voids, (why) => why)].map(([why, of]) => `${of.length} ${why}`);
  const faults = Object.entries(summary.faults).map(([fault, count]) => `${thousands(count)} ${fault}`);
  const line = (name: string, text: string) => `  ${styleText('gray', name.padEnd(17))} ${text}`;
  const [messages, deliveries, requests] = [summary.messages, summary.deliveries, summary.requests].map(
    thousands,
  );
  return [
    '',
    styleText(
      'bold',
      `${dataset.competition.season.name}: ${matches.length} matches in ${Math.round(summary.seconds)} s`,
    ),
    line('messages', `${messages}, in ${deliveries} deliveries; ${requests} requests`),
    line('faults', faults.join(', ')),
    line('goals disallowed', `${voids.length}: ${ways.join(', ')}`),
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
  return `all ${matches.length} final scores are the official ones`;
}

function mismatchLine({ competition }: Dataset, { facts, state }: Mismatch): string {
  const name = (id: number): string => competition.teams.find((team) => team.id === id)?.short ?? String(id);
  const official = resultText(finalScore(facts), facts.pens);
  const end = state?.status_type === 'finished' ? '' : `, not over (status ${state?.status_id})`;
  const found =
    state === undefined ? 'missing' : resultText(pairOf(state.score), pairOf(state.shoot_out)) + end;
  return styleText(
    'red',
    `      ${name(facts.home)} - ${name(facts.away)} (event ${facts.id}): ${found}, officially ${official}`,
  );
}

function pairOf(score: Score | null): GoalPair | undefined {
  return score === null ? undefined : [score.home, score.away];
}

/** Returns a score and a shoot-out as text. */
function resultText(score: GoalPair | undefined, pens: GoalPair | undefined): string {
  return `${score?.join('-') ?? '?-?'}${pens === undefined ? '' : ` (${pens.join('-')} on penalties)`}`;
}
