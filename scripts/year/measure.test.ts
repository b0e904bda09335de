import { expect, test } from 'vitest';
import { metricValue } from '../../test/support/metric-value.ts';
import { judgeGrowth, type Sample } from './measure.ts';
import { renderYear } from './page.ts';

const DAY = 86_400_000;
const MIB = 1024 * 1024;

/** A year of samples; `change` gets the number of the day. */
function year(change: (day: number) => Partial<Sample>): Sample[] {
  return Array.from(
    { length: 365 },
    (_, day): Sample => ({
      at: day * DAY,
      matches: day + 1,
      files: 900 + 6 * day,
      topicFiles: { 'touchline.normalized-messages': 6 * day, 'touchline.match-state': 400 },
      brokerBytes: 50 * MIB,
      topicBytes: { 'touchline.raw-messages': 3 * MIB, 'touchline.normalized-messages': (day + 1) * 9_000 },
      viewBytes: (day + 1) * 20_000,
      logBytes: 10_000,
      services: { api: { rssBytes: 200 * MIB, heapBytes: 60 * MIB, series: 400 } },
      ...change(day),
    }),
  );
}

const lags = Array.from({ length: 52 }, (_, week) => ({ at: week * 7 * DAY, settledMs: 1_200 }));
const growing = (samples: Sample[], of = lags): string[] =>
  judgeGrowth(samples, of).flatMap(({ what, isFlat }) => (isFlat ? [] : [what]));

test('finds a year flat whose topics and views grow with its matches alone', () => {
  expect(growing(year(() => ({})))).toEqual([]);
});

test.each<[string, (day: number) => Partial<Sample>]>([
  [
    'memory of api',
    (day) => ({ services: { api: { rssBytes: (200 + day) * MIB, heapBytes: MIB, series: 4 } } }),
  ],
  ['heap of api', (day) => ({ services: { api: { rssBytes: 1, heapBytes: (60 + day) * MIB, series: 4 } } })],
  [
    'metric series of api',
    (day) => ({ services: { api: { rssBytes: 1, heapBytes: 1, series: 400 + day } } }),
  ],
  ['largest size of raw-messages', (day) => ({ topicBytes: { 'touchline.raw-messages': day * 90_000 } })],
  ['bytes of views for a match', (day) => ({ viewBytes: day * day * 1_000 })],
  [
    'files, without those of topics that keep over a year',
    (day) => ({ files: 500 + 5 * day, topicFiles: {} }),
  ],
  [
    'files of topics that keep over a year, in a day',
    (day) => ({ topicFiles: { 'touchline.match-transitions': day * day } }),
  ],
  ['bytes of logs in a day', (day) => ({ logBytes: day * day * 1_000 })],
])('finds that a measure grows: %s', (what, change) => {
  expect(growing(year(change))).toContain(what);
});

test('finds that the lag grows, and that a lag which was never measured is no proof', () => {
  const slower = lags.map(({ at }, week) => ({ at, settledMs: 1_000 + 100 * week }));
  expect(
    growing(
      year(() => ({})),
      slower,
    ),
  ).toEqual(['time until a match day is served, ms']);
  expect(
    growing(
      year(() => ({})),
      [],
    ),
  ).toEqual(['time until a match day is served, ms']);
});

test('sums a metric over its labels', () => {
  const metrics = 'lag{p="0"} 2\nlag{p="1"} 3\nlagging 9\n';
  expect([metricValue(metrics, 'lag'), metricValue(metrics, 'lag', 'p="1"')]).toEqual([5, 3]);
});

test('renders a page of its own with a plot of each measure, and escapes what it shows', () => {
  const samples = year(() => ({}));
  const page = renderYear({
    commit: 'abc',
    realSeconds: 900,
    matches: 330,
    messages: 33_000,
    happenings: [{ at: DAY, what: 'a <broker> is restarted' }],
    checks: [{ at: DAY, what: 'tables', problem: 'team 1 has "pts" 3' }],
    growth: judgeGrowth(samples, lags),
    warnings: [],
    samples,
    lags,
  });
  expect(page.match(/<svg /g)).toHaveLength(8);
  expect(page).toContain('0 of 1 checks passed');
  expect(page).not.toMatch(/<script|<broker>|src=|NaN|undefined/);
});

test('renders a year that ended on its first day', () => {
  const ended = {
    commit: 'abc',
    realSeconds: 9,
    matches: 0,
    messages: 0,
    happenings: [],
    checks: [],
    growth: [],
  };
  const page = renderYear({ ...ended, warnings: [], samples: [], lags: [] });
  expect(page.match(/not measured/g)).toHaveLength(8);
});
