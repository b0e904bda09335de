import { expect, test } from 'vitest';
import { earliestReceipt } from './alert-processor.ts';

const DAY_MS = 86_400_000;

test.each([
  ['the first start publishes from now on', null, true, 1_000],
  ['a further start publishes what was received meanwhile, a day back', null, false, 5_000 - DAY_MS],
  ['a given age holds on every start', 60, true, 4_940],
  ['a given age holds on every start', 60, false, 4_940],
])('%s', (_, given, isFirst, since) => {
  expect(earliestReceipt({ given, isFirst, begun: 1_000 }, () => 5_000)()).toBe(since);
});
