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
const DELETED = { name: 'a', partitions: 8, settings: { 'cleanup.policy': 'delete', 'retention.ms': '400' } };

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

const [BYTES, IN_SYNC] = ['max.message.bytes', 'min.insync.replicas'];
const COMPACT = { [POLICY]: 'compact' };
const MADE = found({}, BROKER, { partitions: 1, replicas: 1 });
const OTHERS = found({}, { [POLICY]: 'delete', 'retention.ms': '7' });
const sized = (partitions: number) => found(COMPACTED.settings, {}, { partitions });

type Expected = { breaks?: string[]; alter?: object; grow?: number; recreate?: true; refused?: RegExp };
const OF_PARTITIONS: Expected = {
  breaks: ['partitions'],
  refused: /has 1 partitions, not 8: .*more-partitions/,
};
const IS_CUT: Expected = { breaks: [POLICY], refused: /first records were deleted: kafka-configs.*=compact/ };
const MUST_KEEP: Expected = { breaks: [POLICY], refused: /compacted away: kafka-configs.*=delete/ };

const CASES: readonly (readonly [string, FoundTopic, Expected, TopicLogs?, typeof DELETED?])[] = [
  ['as in the table', compacted({}), {}],
  ['made by a reader, and empty', MADE, { breaks: ['partitions', POLICY], alter: COMPACT, grow: 8 }, EMPTY],
  ['with too many partitions, and empty', sized(12), { breaks: ['partitions'], recreate: true }, EMPTY],
  ['with other partitions, and records', sized(1), OF_PARTITIONS],
  ['with nothing deleted yet', compacted({ [POLICY]: 'delete' }), { breaks: [POLICY], alter: COMPACT }],
  ['compacted and deleted', compacted({ [POLICY]: 'compact,delete' }), IS_CUT, CUT],
  ['compacted, and must not be', found(COMPACT, { 'retention.ms': '400' }), MUST_KEEP, WHOLE, DELETED],
  ['with a chosen retention', found({ ...DELETED.settings, 'retention.ms': '7' }), {}, WHOLE, DELETED],
  ['with the retention of the broker', OTHERS, { alter: { 'retention.ms': '400' } }, WHOLE, DELETED],
  ['with small batches', compacted({ [BYTES]: '999' }), { breaks: [BYTES], alter: { [BYTES]: '1000' } }],
  ['with larger batches', compacted({ [BYTES]: '2000' }), {}],
  ['none can write', compacted({ [IN_SYNC]: '4' }), { breaks: [IN_SYNC], alter: { [IN_SYNC]: '2' } }],
  ['acknowledged with one copy by default', found(COMPACT, BROKER), { alter: { [IN_SYNC]: '2' } }],
  ['with settings that may not be read', found({}, {}, { settings: null }), {}],
];

describe('a topic', () => {
  test.each(CASES.map((of) => [of[0], of] as const))('%s', (_, of) => {
    const [, is, expected, logs = WHOLE, wanted = COMPACTED] = of;
    const mismatches = judgeTopic(wanted, is);
    const broken = mismatches.filter(({ breaks }) => breaks).map(({ setting }) => setting);
    expect(broken).toEqual(expected.breaks ?? []);
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
])('creates topics on %i brokers with %i copies, %i in sync', (brokers, replicas, minInSync) => {
  expect(replicationFor(brokers, {})).toEqual({ replicas, minInSync });
});

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
])('warns of %i brokers with %i copies and %i in sync', (brokers, replicas, minInSync, warning) => {
  const [found = null, ...more] = replicationWarnings(brokers, { replicas, minInSync });
  expect(more).toEqual([]);
  if (warning === null) expect(found).toBeNull();
  else expect(found).toContain(warning);
});
