import { expect, test } from 'vitest';
import { replicationFor, replicationWarnings } from './replication.ts';

test.each([
  [1, 1, 1],
  [2, 2, 1],
  [3, 3, 2],
  [9, 3, 2],
])(
  'creates topics on %i brokers with %i copies, of which %i must have a record',
  (brokers, replicas, minInSync) => {
    expect(replicationFor(brokers, {})).toEqual({ replicas, minInSync });
  },
);

test('keeps requested numbers', () => {
  expect(replicationFor(3, { replicationFactor: 5 })).toEqual({ replicas: 5, minInSync: 2 });
  expect(replicationFor(3, { replicationFactor: 2, minInSync: 2 })).toEqual({ replicas: 2, minInSync: 2 });
  expect(replicationFor(1, { minInSync: 3 })).toEqual({ replicas: 1, minInSync: 3 });
});

test.each([
  [1, 1, 1, []],
  [3, 3, 2, []],
  [5, 3, 2, []],
  [1, 1, 2, [/nothing can be written/]],
  [2, 2, 1, [/acknowledged with one copy/]],
  [3, 1, 1, [/one copy on 3 brokers/]],
  [3, 2, 1, [/2 copies on 3 brokers/, /acknowledged with one copy/]],
  [3, 3, 3, [/writing stops while any broker is down/]],
  [3, 3, 1, [/acknowledged with one copy/]],
])(
  'warns of the risks of %i brokers with %i copies and %i in sync',
  (brokers, replicas, minInSync, warnings) => {
    const found = replicationWarnings(brokers, { replicas, minInSync });
    expect(found).toHaveLength(warnings.length);
    for (const [at, pattern] of warnings.entries()) expect(found[at]).toMatch(pattern);
  },
);
