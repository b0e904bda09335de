import { expect, test } from 'vitest';
import { reportedFields } from './reported-fields.ts';

const group = (ut: number, fields: object) => ({
  ut,
  json: JSON.stringify(fields),
  message_id: null,
  progress: 0,
  text: null,
});

test('joins the groups of a match, the latest value of each field with its time', () => {
  const { fields, times } = reportedFields([
    group(1, { name: 'A', status_id: 33 }),
    group(2, { status_id: 34, clock_time: null }),
  ]);
  expect(fields).toEqual({ name: 'A', status_id: 34, clock_time: null });
  expect(Object.fromEntries(times)).toEqual({ name: 1, status_id: 2, clock_time: 2 });
});

test('has no participants where none was reported', () => {
  expect(reportedFields([])).toEqual({ fields: {}, times: new Map() });
  expect(reportedFields([group(1, { participants: [] })]).fields).toEqual({});
});

test.each<[why: string, groups: readonly object[][], participants: object[]]>([
  [
    'in the order of their counters',
    [
      [{ counter: 10, id: 3 }],
      [
        { counter: 2, id: 2 },
        { counter: 1, id: 1 },
      ],
    ],
    [
      { counter: 1, id: 1 },
      { counter: 2, id: 2 },
      { counter: 10, id: 3 },
    ],
  ],
  [
    'each with the results that were reported later',
    [[{ counter: 1, id: 1, results: [1] }], [{ counter: 1, results: [2] }]],
    [{ counter: 1, id: 1, results: [2] }],
  ],
  [
    'each with the results that were reported before',
    [[{ counter: 1, results: [1] }], [{ counter: 1, id: 1, name: 'B' }]],
    [{ counter: 1, id: 1, name: 'B', results: [1] }],
  ],
  [
    'each with its latest own fields alone',
    [[{ counter: 1, id: 1, old: true, results: [1] }], [{ counter: 1, id: 1 }]],
    [{ counter: 1, id: 1, results: [1] }],
  ],
  [
    'each with the results of its team, on whatever side it was',
    [
      [
        { counter: 1, id: 1, results: [1] },
        { counter: 2, id: '2', results: [2] },
      ],
      [
        { counter: 1, id: 2 },
        { counter: 2, id: 1 },
      ],
      [{ counter: 2, results: [3], results_of: 2 }],
    ],
    [
      { counter: 1, id: 2, results: [3] },
      { counter: 2, id: 1, results: [1] },
    ],
  ],
  ['of results alone too', [[{ counter: '2', results: [1] }]], [{ counter: '2', results: [1] }]],
])('joins the sides of messages %s', (_, groups, participants) => {
  const { fields, times } = reportedFields(groups.map((some, at) => group(at, { participants: some })));
  expect(fields.participants).toEqual(participants);
  expect(times.get('participants')).toBe(groups.length - 1);
});
