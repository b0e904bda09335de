import { expect, test } from 'vitest';
import { judgeGrowth, type Sample } from './measure.ts';

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
