import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url);
/** The start of an access token, and a cookie. */
const OTHERS: ReadonlySet<string> = new Set(['touchline_pat', 'touchline_session']);

test('docs/reference/metrics.md names every metric of the sources', () => {
  const sources = execFileSync(
    'git',
    ['grep', '-hoE', "'touchline_[a-z_]+'", '--', 'libs/**/*.ts', 'services/**/*.ts'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const names = new Set(sources.split('\n').flatMap((line) => line.match(/touchline_[a-z_]+[a-z]/) ?? []));
  const page = readFileSync(new URL('docs/reference/metrics.md', ROOT), 'utf8');
  expect(names.size).toBeGreaterThan(40);
  const metrics = [...names].filter((name) => !OTHERS.has(name));
  expect(metrics.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});
