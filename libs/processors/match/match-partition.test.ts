import { expect, test } from 'vitest';
import type { TopicValues } from '#records/types.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { MAX_PENDING_BYTES } from './loaded-match.ts';
import { codecs, commitMessages, goal, lineOf, partitionOf, restoreLine, run } from './testing/partition.ts';

test('a new owner restores its state from the written records, and publishes the same bytes', async () => {
  const messages = [
    goal(1, 100, 0, false),
    goal(1, 110, 60, false, 'tbd'),
    goal(1, 110, 90, false),
    goal(1, 120, 120, false),
  ];
  const withoutResults = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith('match-results '));
  const before = run({}, messages.slice(0, 2)).written;
  const next = partitionOf();
  for (const line of before) await restoreLine(next, line);
  const after = messages.slice(2).flatMap((value, n) => commitMessages(next, n + 2, value).map(lineOf));
  expect(withoutResults([...before, ...after])).toEqual(withoutResults(run({}, messages).written));
});

type Result = [key: string, version: number, removed: boolean, home: number | null];

function results(lines: readonly string[]): Result[] {
  return lines
    .filter((line) => line.startsWith('match-results '))
    .map((line) => {
      const [, key = '', hex = ''] = line.split(' ');
      const value = codecs['match-results'].decode(Buffer.from(hex, 'hex')) as TopicValues['match-results'];
      return [key, value.version, value.removed, value.score?.home ?? null];
    });
}

test('publishes a result that changes, and a removal from the group that a match left', () => {
  const { written } = run({}, [
    goal(1, 100, 0, false),
    goal(1, 110, 60, false),
    // The same goal again, later.
    goal(1, 110, 90, false),
    goal(1, 120, 120, true, 'confirmed', 7),
  ]);
  expect(results(written)).toEqual([
    ['4/5/-/6/1', 1, false, 0],
    ['4/5/-/6/1', 2, false, 1],
    ['4/5/-/6/1', 4, true, null],
    ['4/5/-/7/1', 4, false, 2],
  ]);
});

test.each([
  ['in memory', {}],
  ['spilled after each commit', { maxLoadedBytes: 1 }],
])('a new owner publishes the result of every match once more, then only changes, %s', async (_, limits) => {
  const before = run({}, [goal(1, 100, 0, false), goal(1, 110, 60, false)]);
  const after = partitionOf(limits);
  for (const line of before.written) await restoreLine(after, line);
  // The first result is known already.
  const lines = [60, 90, 91, 92].flatMap((at, offset) =>
    commitMessages(after, offset, goal(1, 110, at, false)).map(lineOf),
  );
  expect(results(lines)).toEqual([['4/5/-/6/1', 3, false, 1]]);
});

test('ends a transaction before the size of messages of one match must be checked on copies of it', () => {
  const partition = partitionOf();
  const collector = new RecordCollector(0);
  let bytes = 0;
  let offset = 0;
  while (bytes <= MAX_PENDING_BYTES) {
    expect(partition.isFull()).toBe(false);
    const value = goal(1, 110, offset, false);
    partition.process({ offset, key: null, value }, collector);
    bytes += value.length;
    offset += 1;
  }
  expect(partition.isFull()).toBe(true);
  partition.flush(collector);
  partition.committed();
  expect(partition.isFull()).toBe(false);
});

test.each([
  ['of another partition', 1, 1, 'WRONG_PARTITION'],
  ['whose id no provider has', 0, -1, 'UNKNOWN_SHAPE'],
])('refuses a message of a match %s, and changes nothing', (_, away, event_id, code) => {
  const codec = codecs['normalized-messages'];
  const value = codec.encode({ ...codec.decode(goal(1, 100, 0, false)), event_id });
  const owner = partitionOfKey('1', 3);
  const partition = partitionOf({ partition: (owner + away) % 3, partitions: 3 });
  const collector = new RecordCollector(0);
  expect(() => partition.process({ offset: 0, key: null, value }, collector)).toThrow(
    expect.objectContaining({ code }),
  );
  expect(partition.size()).toBe(0);
  const own = partitionOf({ partition: owner, partitions: 3 });
  own.process({ offset: 0, key: null, value: goal(1, 100, 0, false) }, collector);
  expect(own.size()).toBe(1);
});
