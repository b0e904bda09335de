import { describe, expect, test } from 'vitest';
import {
  type FoundTopic,
  judgeTopic,
  mismatchText,
  planRepairs,
  replicationFor,
  replicationWarnings,
  type TopicLogs,
} from './topic-rule.ts';

const COMPACTED = {
  name: 'match-state',
  partitions: 8,
  settings: { 'cleanup.policy': 'compact', 'max.message.bytes': '1000', 'min.insync.replicas': '2' },
};
const DELETED = {
  name: 'normalized-messages',
  partitions: 8,
  settings: { 'cleanup.policy': 'delete', 'retention.ms': '400' },
};

/** A topic whose `settings` somebody chose, over the `defaults` of the broker. */
const found = (
  settings: Record<string, string>,
  defaults: Record<string, string> = {},
  shape: Partial<FoundTopic> = {},
): FoundTopic => ({
  id: 'x',
  partitions: 8,
  replicas: 3,
  settings: new Map(Object.entries({ ...defaults, ...settings })),
  chosen: new Set(Object.keys(settings)),
  ...shape,
});

const EMPTY: TopicLogs = { isEmpty: true, isWhole: true };
const WHOLE: TopicLogs = { isEmpty: false, isWhole: true };
const CUT: TopicLogs = { isEmpty: false, isWhole: false };
const BROKER = { 'cleanup.policy': 'delete', 'max.message.bytes': '1048588', 'min.insync.replicas': '1' };

/** Topics as they should be, but for these settings. */
const compacted = (settings: Record<string, string>) => found({ ...COMPACTED.settings, ...settings });
const POLICY = 'cleanup.policy';

const CASES: readonly (readonly [
  string,
  typeof COMPACTED | typeof DELETED,
  FoundTopic,
  TopicLogs,
  { breaks?: string[]; alter?: object; grow?: number; recreate?: true; refused?: RegExp },
])[] = [
  ['as in the table', COMPACTED, compacted({}), WHOLE, {}],
  [
    'made by a reader, and empty',
    COMPACTED,
    found({}, BROKER, { partitions: 1, replicas: 1 }),
    EMPTY,
    { breaks: ['partitions', POLICY], alter: { [POLICY]: 'compact' }, grow: 8 },
  ],
  [
    'with too many partitions, and empty',
    COMPACTED,
    found(COMPACTED.settings, {}, { partitions: 12 }),
    EMPTY,
    { breaks: ['partitions'], recreate: true },
  ],
  [
    'with other partitions, and records',
    COMPACTED,
    found(COMPACTED.settings, {}, { partitions: 1 }),
    WHOLE,
    { breaks: ['partitions'], refused: /has 1 partitions, not 8: .*more-partitions/ },
  ],
  [
    'not compacted, and nothing deleted yet',
    COMPACTED,
    compacted({ [POLICY]: 'delete' }),
    WHOLE,
    { breaks: [POLICY], alter: { [POLICY]: 'compact' } },
  ],
  [
    'compacted and deleted',
    COMPACTED,
    compacted({ [POLICY]: 'compact,delete' }),
    CUT,
    { breaks: [POLICY], refused: /first records were deleted: kafka-configs.*=compact/ },
  ],
  [
    'compacted, and must keep all records',
    DELETED,
    found({ [POLICY]: 'compact' }, { 'retention.ms': '400' }),
    WHOLE,
    { breaks: [POLICY], refused: /compacted away: kafka-configs.*=delete/ },
  ],
  ['with a chosen retention', DELETED, found({ ...DELETED.settings, 'retention.ms': '7' }), WHOLE, {}],
  [
    'with the retention of the broker',
    DELETED,
    found({}, { [POLICY]: 'delete', 'retention.ms': '7' }),
    WHOLE,
    { alter: { 'retention.ms': '400' } },
  ],
  [
    'with batches that are too small',
    COMPACTED,
    compacted({ 'max.message.bytes': '999' }),
    WHOLE,
    { breaks: ['max.message.bytes'], alter: { 'max.message.bytes': '1000' } },
  ],
  ['with larger batches', COMPACTED, compacted({ 'max.message.bytes': '2000' }), WHOLE, {}],
  [
    'that nobody can write',
    COMPACTED,
    compacted({ 'min.insync.replicas': '4' }),
    WHOLE,
    { breaks: ['min.insync.replicas'], alter: { 'min.insync.replicas': '2' } },
  ],
  [
    'acknowledged with one copy by default',
    COMPACTED,
    found({ [POLICY]: 'compact' }, BROKER),
    WHOLE,
    { alter: { 'min.insync.replicas': '2' } },
  ],
  ['with settings that may not be read', COMPACTED, found({}, {}, { settings: null }), WHOLE, {}],
];

describe('a topic', () => {
  test.each(CASES)('%s', (_, wanted, is, logs, expected) => {
    const mismatches = judgeTopic(wanted, is);
    expect(mismatches.filter(({ breaks }) => breaks).map(({ setting }) => setting)).toEqual(
      expected.breaks ?? [],
    );
    const { alter, grow, recreate, refused } = planRepairs(mismatches, () => logs);
    expect(alter.get(wanted.name)).toEqual(expected.alter);
    expect(grow.get(wanted.name)).toBe(expected.grow);
    expect(recreate).toEqual(expected.recreate ? [wanted.name] : []);
    expect(refused).toHaveLength(expected.refused === undefined ? 0 : 1);
    if (expected.refused !== undefined) expect(refused[0]).toMatch(expected.refused);
  });

  test('names setting, found and wanted value', () => {
    const [mismatch] = judgeTopic(COMPACTED, compacted({ [POLICY]: 'delete' }));
    expect(mismatch && mismatchText(mismatch)).toBe('match-state has cleanup.policy=delete, not compact');
  });
});

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
  [1, 1, 1, null],
  [3, 3, 2, null],
  [5, 4, 2, null],
  [1, 1, 2, '2 copies must have a record, but topics have 1: nothing can be written'],
  [3, 1, 1, 'topics have one copy on 3 brokers, of which 1 must have a record'],
  [2, 2, 1, 'topics have 2 copies on 2 brokers, of which 1 must have a record'],
  [3, 3, 3, 'topics have 3 copies on 3 brokers, of which 3 must have a record'],
])(
  'warns of the risk of %i brokers with %i copies and %i in sync',
  (brokers, replicas, minInSync, warning) => {
    const [found = null, ...more] = replicationWarnings(brokers, { replicas, minInSync });
    expect(more).toEqual([]);
    if (warning === null) expect(found).toBeNull();
    else expect(found).toContain(warning);
  },
);
