import { describe, expect, test } from 'vitest';
import { isOperationName } from './operations.ts';
import { ANSWERS } from './records.ts';
import differences from './testing/answer-differences.json' with { type: 'json' };
import { type AnswerDifference, findingsOf, fixtures, haveFixtures } from './testing/fixtures.ts';
import { incident } from './testing/world.ts';

const published = fixtures();
const ofTheSpec = published.filter(({ name }) => isOperationName(name));

/** Every known difference, once for each operation. */
const documented: AnswerDifference[] = differences.flatMap(({ operations, ...difference }) =>
  operations.map((operation) => ({ operation, ...difference })),
);

const byText = (findings: AnswerDifference[]): string[] =>
  findings.map((one) => JSON.stringify(one)).toSorted();

describe.skipIf(!haveFixtures)('published answers of a provider (they are in ../shared)', () => {
  test('exist for these operations of the contract', () => {
    expect(ofTheSpec.map(({ name }) => name).toSorted()).toEqual([
      'areas.index',
      'competitions.index',
      'events.index',
      'events.show',
      'feed.index',
      'feed.show',
      'incidents.index',
      'languages.index',
      'livescore.index',
      'oauth',
      'sports.index',
      'sports.show',
      'standings-types.index',
      'standings.index',
      'standings.show',
      'statuses.index',
    ]);
  });

  test('differ from our answers exactly as known', () => {
    expect(byText(documented)).toEqual(byText(published.flatMap(findingsOf)));
  });
});

describe('records', () => {
  const { important: _, ...goal } = incident('5-1');

  test('keep unknown fields', () => {
    const odd = { ...goal, x_pos: 7, more: { deep: [1] } };
    expect(ANSWERS.incident.parse(odd)).toEqual(odd);
  });

  test.each(Object.keys(goal))('our incidents always have %s', (field) => {
    const { [field as keyof typeof goal]: _missing, ...rest } = goal;
    expect(ANSWERS.incident.safeParse(rest).success).toBe(false);
  });

  test('of a ranking may lack zones and corrections, and have values of either type in any order', () => {
    const row = (columns: object[]) => ({ id: 1, name: 'A Player', rank: 1, columns });
    const goals = { id: 6, code: 'goals_scored', value: 3 };
    const mean = { id: 9, code: 'goals_per_match', value: '0.75' };
    const rows = [row([goals, mean]), row([mean, { ...goals, value: '2' }])];
    const { groups } = ANSWERS.standings.parse({
      id: 7,
      name: 'Top scorers',
      type_id: 6,
      type_name: 'Top scorers',
      object_type: 'season',
      object_id: 20,
      columns: [],
      groups: [{ id: '', name: '', participants: rows }],
    });
    const values = groups[0]?.participants.map(({ columns }) =>
      Number(columns.find(({ code }) => code === 'goals_scored')?.value),
    );
    expect(values).toEqual([3, 2]);
  });
});
