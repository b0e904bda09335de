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
    const lists = 'areas competitions events incidents languages livescore sports standings-types statuses';
    const both = ['events', 'feed', 'sports', 'standings'].map((name) => `${name}.show`);
    const indexes = [...lists.split(' '), 'feed', 'standings'].map((name) => `${name}.index`);
    expect(ofTheSpec.map(({ name }) => name).toSorted()).toEqual([...indexes, ...both, 'oauth'].toSorted());
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
    const of = { id: 7, type_id: 6, object_type: 'season', object_id: 20, columns: [] };
    const names = { name: 'Top scorers', type_name: 'Top scorers' };
    const list = [{ id: '', name: '', participants: rows }];
    const { groups } = ANSWERS.standings.parse({ ...of, ...names, groups: list });
    const values = groups[0]?.participants.map(({ columns }) =>
      Number(columns.find(({ code }) => code === 'goals_scored')?.value),
    );
    expect(values).toEqual([3, 2]);
  });
});
