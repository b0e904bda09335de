import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricNames } from '../test/support/monitoring.ts';

const page = readFileSync(new URL('../docs/reference/metrics.md', import.meta.url), 'utf8');
const names = [...metricNames()];

test('docs/reference/metrics.md names every metric of the sources', () => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !new RegExp(`\`${name}[\`{]`).test(page))).toEqual([]);
});

test('docs/reference/metrics.md names only metrics of the sources', () => {
  // `touchline_api_…` stands for all of an api.
  const shown = [...page.matchAll(/`(touchline_[a-z_]+)[`{]/g)].map(([, name = '']) => name);
  expect(shown.filter((name) => !names.includes(name))).toEqual([]);
});
