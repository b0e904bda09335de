import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { readRules } from './competition-rules.ts';

const file = (name: string, applies_to: object[] = []) => {
  return { format: 1, name, applies_to, points: { won: 3, draw: 1, lost: 0 }, tie_break: ['points'] };
};

function folder(files: Readonly<Record<string, unknown>>): string {
  const made = temporaryFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(made, name), JSON.stringify(content));
  return made;
}

test('reads the rules of the repository', () => {
  const rulesOf = readRules(fileURLToPath(new URL('../../data/rules/', import.meta.url)));
  expect(rulesOf(3200, 1).name).toMatch(/^England/);
  expect(rulesOf(1658, 29848).zones).toHaveLength(2);
  expect(rulesOf(99_999_999, 1).name).toMatch(/^Every competition/);
});

test('prefers a season’s rules to those of its competition, and default.json for all others', () => {
  const rulesOf = readRules(
    folder({
      'default.json': file('default'),
      'a.json': file('all', [{ competition_id: 1 }]),
      'b.json': file('one', [{ competition_id: 1, season_id: 2 }]),
      'notes.txt': 'no rules',
    }),
  );
  const names = [rulesOf(1, 2), rulesOf(1, 3), rulesOf(2, 2)].map(({ name }) => name);
  expect(names).toEqual(['one', 'all', 'default']);
});

const OF_ONE = { competition_id: 1 };

test.each([
  ['no default', { 'a.json': file('a') }, 'there is no default.json'],
  [
    'two files for the same',
    { 'default.json': file('d'), 'a.json': file('a', [OF_ONE]), 'b.json': file('b', [OF_ONE]) },
    'b.json is no file of competition rules:\n  a.json is for competition 1 too',
  ],
  ['a wrong file', { 'default.json': file('d'), 'a.json': {} }, 'a.json is no file of competition rules'],
])('rejects %s', (_, files, message) => {
  expect(() => readRules(folder(files))).toThrow(message);
});

test('rejects a missing folder', () => {
  expect(() => readRules('/nowhere')).toThrow('it cannot be read');
});
