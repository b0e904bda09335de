/** Asks questions about a tournament in play with the protocol's own client, and checks answers, calls and tokens. */
import { beforeAll, describe, expect, test } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { MatchTransition } from '#records/types.ts';
import { catalogueValue } from '#views/testing/records.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { type MatchFacts, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import type { ProviderMessage } from '../../../services/simulator/records.ts';
import { ServedMcp } from '../../../services/tool-gateway/mcp/testing/served.ts';
import { pipelineRecords } from '../../support/pipeline-records.ts';
import { Assistant } from './assistant.ts';
import { FINAL, type Question, THIRD_PLACE, whileUnderReview } from './questions.ts';
import { reportedAt, TournamentTruth, takenBack } from './truth.ts';

const DATASET = readDataset('world-cup-2018');

/**
 * Seed with goals that are cancelled in every way, and reviews that change nothing; none of them in the last
 * two matches.
 */
const SEED = 'i';
const FAULTS = parseFaults(
  'none,rejected=0.03,cancelled=0.03,deleted=0.03,goal_cancelled=0.03,goal_cancelled_child=0.03,every_way=0.03,review=0.1',
);
const THIRD_PLACE_SECONDS = 1_500;
/** Goals of the final so far; the last one is under review. */
const FINAL_GOALS = 4;

const MEDIAN = { calls: 2, tokens: 2_000 };

const truth = new TournamentTruth(DATASET);
const [final, thirdPlace] = [truth.match(FINAL), truth.match(THIRD_PLACE)];
const finished = DATASET.matches.filter((facts) => facts !== final && facts !== thirdPlace);
const before = finished.flatMap((facts) => played(facts, Date.parse(facts.date) / 1_000));

function played(facts: MatchFacts, kickOff: number, clockEvery = 0): readonly ProviderMessage[] {
  return simulateMatch(facts, DATASET.competition, kickOff, {
    seed: SEED,
    faults: FAULTS,
    keepAliveEvery: 0,
    clockEvery,
  }).messages;
}

/** Returns the messages of a match up to this played second. */
function upTo(facts: MatchFacts, kickOff: number, second: number): readonly ProviderMessage[] {
  return played(facts, kickOff, 60).filter(({ ut }) => ut <= kickOff + second);
}

/** Played seconds of the final: 20 after the first report of its last goal. */
const FINAL_SECONDS = reportedAt(played(final, 0), FINAL_GOALS) + 20;

const asked: { readonly question: string; readonly calls: number; readonly tokens: number }[] = [];
let world: ViewsWorld;
let transitions: readonly MatchTransition[];

/** Connects an assistant, which the end of the test disconnects. */
async function assistant(): Promise<Assistant> {
  return new Assistant(await (await ServedMcp.start({ world, now: Date.now })).connect('2026-07-28'));
}

async function ask({ asks, answer, truth: right }: Question): Promise<void> {
  const asking = await assistant();
  expect(await answer(asking), asks).toEqual(right);
  asked.push({ question: asks, calls: asking.calls, tokens: asking.tokens });
}

function tree() {
  const { competition, season, stages, area } = DATASET.competition;
  return [
    catalogueValue('competition', competition.id, null, {
      name: competition.name,
      sport_id: 5,
      area_name: area.name,
    }),
    catalogueValue('season', season.id, competition.id, { name: season.name, actual: 'yes' }),
    ...stages.flatMap(({ id, name, groups }) => [
      catalogueValue('stage', id, season.id, { name }),
      ...groups.map((group) => catalogueValue('group', group.id, id, { name: group.name })),
    ]),
  ];
}

beforeAll(async () => {
  const now = Math.floor(Date.now() / 1_000);
  const messages = [
    ...before,
    ...upTo(final, now - FINAL_SECONDS, FINAL_SECONDS),
    ...upTo(thirdPlace, now - THIRD_PLACE_SECONDS, THIRD_PLACE_SECONDS),
  ].map((message) => normalized(message, Date.now()));
  world = new ViewsWorld();
  world.now = Date.now();
  const records = await pipelineRecords(messages, tree());
  transitions = records.flatMap((record) =>
    record.topic === 'match-transitions' && record.value !== null ? [record.value] : [],
  );
  world.give(...records);
  world.health(null, { valid_until: Date.now() + 600_000 });
  for (const { id } of [final, thirdPlace]) world.health(id);
});

describe('with a goal of the final under review', () => {
  const disallowed = finished.flatMap((facts) => takenBack(played(facts, 0)));
  const ways = new Set(disallowed.map(({ by }) => by.replace(/\S*\d+/, '')));
  const questions = whileUnderReview({
    truth,
    final: { score: truth.scoreAfter(final, FINAL_GOALS), firm: truth.scoreAfter(final, FINAL_GOALS - 1) },
    thirdPlace: truth.scoreAfter(thirdPlace, 1),
    takenBack: disallowed,
  });
  test('goals are cancelled by the provider and by incidents', () => expect(ways.size).toBe(3));

  test.each(questions)('$who: $asks', ask);

  test('list_changes has every change of a score, and every cancelled goal', async () => {
    const shown: string[] = [];
    const asking = await assistant();
    let since: string | undefined;
    for (let page: number | null = 1; page !== null; ) {
      const window = since === undefined ? { minutes: 1_440 } : { since };
      const answer = await asking.ask('list_changes', { ...window, only: 'goals', limit: 50, page });
      for (const { match_id, kind, score, ...change } of answer.changes) {
        if (score !== undefined) shown.push(`${match_id} ${change.before ?? ''} ${score}`);
        if (kind === 'goal_taken_back') shown.push(`${match_id} ${change.incident_id} taken back`);
      }
      ({ since, next_page: page } = answer);
    }
    const goals = (of: { home: number; away: number } | null) => (of === null ? '' : `${of.home}-${of.away}`);
    const wanted = transitions.flatMap(({ event_id, kind, score, incident_id }) => {
      if (kind === 'goal_cancelled') return [`${event_id} ${incident_id} taken back`];
      if (kind !== 'score_changed' || score === null) return [];
      return [`${event_id} ${goals(score.before)} ${goals(score.after)}`];
    });
    expect(wanted.length).toBeGreaterThan(200);
    expect(shown.sort()).toEqual(wanted.sort());
  });

  test('questions take at most two calls and 2,000 tokens in the median', () => {
    expect(asked).toHaveLength(questions.length);
    const table = JSON.stringify(asked, null, 1);
    expect(median(asked.map(({ calls }) => calls)), table).toBeLessThanOrEqual(MEDIAN.calls);
    expect(median(asked.map(({ tokens }) => tokens)), table).toBeLessThanOrEqual(MEDIAN.tokens);
  });
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1] ?? Number.POSITIVE_INFINITY;
}
