import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
const rows = read('docs/reference/security.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| boundary |'))
  .map(
    (line) =>
      line.slice(2, -2).split(' | ') as [boundary: string, threat: string, defence: string, tests: string],
  );

test('the page has threats', () => {
  expect(rows.length).toBeGreaterThan(0);
});

test.each(rows)('names an existing test at "%s" against "%s"', (_boundary, _threat, _defence, tests) => {
  const named = [...tests.matchAll(/`([^`]+\.ts)`: "([^"]+)"/g)];
  expect(named.length).toBe(tests.split('; ').length);
  for (const [, file = '', title = ''] of named) {
    expect(existsSync(new URL(file, ROOT)), file).toBe(true);
    // The title of a test or group, or its beginning before a value; some titles are rows of a table of cases.
    const at = `(?:(?:test|it|describe)\\(|\\)\\(|^\\s*\\[|^\\s*)`;
    const name = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    expect(read(file), `${file}: ${title}`).toMatch(new RegExp(`${at}(?:'${name}'|\`${name})`, 'm'));
  }
});
