import { expect, type RunnerTestSuite, type TestContext, test } from 'vitest';
import { restRows } from './rest-rows.ts';
import { serveOnce } from './running.ts';
import { runningRows } from './running-rows.ts';
import { contract, dataOf } from './served.ts';
import { SHOOT_OUT_ROWS } from './shoot-out.ts';
import { haveSpec, requirementsOfSpec, sentencesOfSpec, textOfSpec } from './spec.ts';
import { contractRows, notMet, problemsOf } from './table.ts';
import { NEVER_SET } from './values.ts';

serveOnce();
restRows();
runningRows();

test('every field of the records had another value than its default in some answer', async () => {
  const tables = '/v2/standings?object_type=season&object_id=20&limit=500';
  const { standings_list } = await dataOf(tables);
  const more = [
    '/v2/events/2001',
    '/v2/sports/5',
    '/v2/stages',
    '/v2/feed',
    '/v2/events/1005/important-incidents',
  ];
  for (const { id } of standings_list) more.push(`/v2/standings/${id}`);
  for (const path of more) await contract().answer(path);
  expect(contract().seen.never).toEqual(Object.keys(NEVER_SET));
});

/** Number of rows of the specification's tables, numbered rules, and sentences of its prose. */
const ROWS = 180 + 63;
const PROSE = 'Said in prose';

test('every row of docs/reference/contract.md names a place and a test that are there', ({ task }) => {
  const names = namesIn(task.file);
  const rows = contractRows();
  expect(rows).toHaveLength(ROWS);
  expect(problemsOf(rows, names)).toEqual([]);
  const [row] = rows;
  if (row === undefined) throw new Error('there are no rows');
  const wrong = [
    { ...row, test: '' },
    { ...row, test: 'nothing of the kind' },
    { ...row, where: 'libs/nowhere.ts' },
    { ...row, file: 'libs/nowhere.test.ts' },
    { ...row, file: 'libs/signing/signing.test.ts', test: 'nothing of the kind' },
  ];
  for (const one of wrong) expect(problemsOf([one], names), JSON.stringify(one)).toHaveLength(1);
});

test('every test of a row of test/system/contract is in docs/reference/contract.md', ({ task }) => {
  const named = new Set(contractRows().map(({ test }) => test));
  const titles = task.file.tasks
    .filter(({ name }) => name === 'Fields' || name === SHOOT_OUT_ROWS)
    .flatMap((group) => ('tasks' in group ? group.tasks.map(({ name }) => name) : []));
  expect(titles.length).toBeGreaterThan(100);
  expect(titles.filter((title) => !named.has(title))).toEqual([]);
});

test.runIf(haveSpec)('the rows are those of the specification (which lies beside the project)', () => {
  const tables = contractRows().filter(({ section }) => section !== PROSE);
  expect(tables.map(({ section, requirement }) => `${section}: ${requirement}`)).toEqual(
    requirementsOfSpec(),
  );
});

test.runIf(haveSpec)('every sentence of the specification is in a row, or among what is not met', () => {
  const text = textOfSpec();
  const sentences = contractRows().filter(({ section }) => section === PROSE);
  expect(sentences.filter(({ requirement }) => !text.includes(requirement))).toEqual([]);
  const said = [...sentences.map(({ requirement }) => requirement), ...notMet()];
  const all = sentencesOfSpec();
  expect(all.length).toBeGreaterThan(70);
  expect(all.filter((sentence) => !said.some((one) => one.includes(sentence)))).toEqual([]);
});

function namesIn(suite: TestContext['task']['file'] | RunnerTestSuite): ReadonlySet<string> {
  const names = (inside: typeof suite): string[] =>
    inside.tasks.flatMap((task) => [task.name, ...('tasks' in task ? names(task) : [])]);
  return new Set(names(suite));
}
