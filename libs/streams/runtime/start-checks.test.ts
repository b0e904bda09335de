import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { quietLog } from '../../../test/support/log.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import type { ReaderOptions, StreamClient } from '../client/port.ts';
import type { RefusedError } from '../errors.ts';
import { streamMetrics } from './metrics.ts';
import type { LogMark, Position } from './positions.ts';
import {
  requireChangelogs,
  requireInput,
  requireLastRecord,
  requireSameCommit,
  requireSameInput,
  startOffset,
} from './start-checks.ts';

const metrics = streamMetrics(new Registry(), () => []);
const APPLICATION = 'touchline.match-processor';
const INPUT = 'touchline.normalized-messages';
const position = (next: number): Position => {
  return { next, topicId: 'a', inputEpoch: null, logs: {}, producer: { id: '1', epoch: 0 } };
};

const of = { application: APPLICATION, input: INPUT };

function start(
  found: Position | null,
  input: { start: number; end: number },
  onLostInput: 'stop' | 'continue' = 'stop',
): number {
  return startOffset({ ...of, onLostInput, metrics, log: quietLog }, 3, { position: found, input });
}

test.each([
  ['the start of the log without a position', null, { start: 5, end: 9 }, 5],
  ['the position', position(7), { start: 5, end: 9 }, 7],
  ['the position at the end', position(9), { start: 5, end: 9 }, 9],
  ['the position at the start', position(5), { start: 5, end: 9 }, 5],
  ['the position of an empty log', position(5), { start: 5, end: 5 }, 5],
])('begins at %s', (_, found, input, offset) => {
  if (found !== null) requireInput(of, 3, found, 'a', input);
  expect(start(found, input)).toBe(offset);
});

test.each([
  [
    'that ends before the position',
    'a',
    'POSITION_BEYOND_END',
    /80, before .* 120.*-processor 3 80, or .*rebuild/,
  ],
  ['that was created again', 'b', 'INPUT_RECREATED', /position 120 was .* offsets 0 to 80/],
])('refuses an input %s, and names the commands that resolve it', (_, id, code, message) => {
  const check = () => requireInput(of, 3, position(120), id, { start: 0, end: 80 });
  expect(check).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

describe('an input whose records before position 17 are of leader epoch 3', () => {
  const check = (found: { epoch: number; endOffset: number } | null) => () =>
    requireSameInput(of, 3, { next: 17, inputEpoch: 3 }, found);

  test.each([
    ['continues after the position', { epoch: 3, endOffset: 20 }],
    ['ends at the position', { epoch: 3, endOffset: 17 }],
    ['is unknown', null],
  ])('is accepted when that epoch %s', (_, found) => expect(check(found)).not.toThrow());

  test.each([
    ['ends before the position', { epoch: 3, endOffset: 15 }, 'from offset 15 to the position 17', '3 15'],
    ['is missing in a shorter log', { epoch: 2, endOffset: 15 }, 'from offset 15', '3 15'],
    ['is missing in a log with other records', { epoch: 2, endOffset: 20 }, 'in leader epoch 3', '3 17'],
  ])('is refused when that epoch %s', (_, found, lost, remedy) => {
    expect(check(found)).toThrow(lost);
    expect(check(found)).toThrow(`npx touchline position match-processor ${remedy}`);
  });
});

test('refuses input that retention removed unprocessed, or counts it with onLostInput continue', async () => {
  const { code, message } = thrownBy(() => start(position(7), { start: 10, end: 80 })) as RefusedError;
  expect(code).toBe('INPUT_LOST');
  expect(message).toContain('3 records were removed');
  expect(message).toContain('ON_LOST_INPUT=continue');
  expect(start(position(7), { start: 10, end: 80 }, 'continue')).toBe(10);
  expect((await metrics.lostRecords.get()).values).toEqual([{ labels: { partition: 3 }, value: 3 }]);
});

test.each([
  ['was created again', { id: 'd', start: 0, end: 12 }, 'CHANGELOG_RECREATED'],
  ['ends before the commit of the position', { id: 'c', start: 0, end: 11 }, 'CHANGELOG_TRUNCATED'],
  ['lost its first records', { id: 'c', start: 4, end: 12 }, 'CHANGELOG_TRUNCATED'],
  ['lost all of its records', { id: 'c', start: 12, end: 12 }, 'CHANGELOG_TRUNCATED'],
])('refuses a changelog that %s', (_, found, code) => {
  const committed = { ...position(7), logs: { changelog: { id: 'c', start: 0, end: 12, last: 10 } } };
  const check = (one: typeof found) => requireChangelogs(of, 3, committed, [{ topic: 'changelog', ...one }]);
  expect(() => check(found)).toThrow(expect.objectContaining({ code }));
  expect(() => check({ id: 'c', start: 0, end: 12 })).not.toThrow();
});

test('accepts a changelog whose beginning an operator accepted, and one created again that had no record', () => {
  const check = (mark: LogMark, one: { id: string; start: number; end: number }) => () =>
    requireChangelogs(of, 3, { ...position(7), logs: { changelog: mark } }, [{ topic: 'changelog', ...one }]);
  const accepted = { id: 'c', start: null, end: null, last: null };
  expect(check(accepted, { id: 'c', start: 4, end: 12 })).not.toThrow();
  expect(check({ id: 'c', start: 0, end: 0, last: null }, { id: 'd', start: 0, end: 0 })).not.toThrow();
});

test('requires the last committed record of a changelog, or a later one, unless retention removed it', () => {
  const committed = { ...position(7), logs: { changelog: { id: 'c', start: 0, end: 12, last: 10 } } };
  const check =
    (offset: number | null, start = 0, topic = 'changelog') =>
    () => {
      const last = offset === null ? null : { offset, isTombstone: false };
      requireLastRecord(APPLICATION, 3, committed, { topic, start, last });
    };
  // Aborted records follow it.
  expect(check(8)).toThrow('changelog-3 ends at offset 9 and had reached 11 at the position 7');
  expect(check(null)).toThrow('changelog-3 ends at offset 0 and had reached 11');
  for (const accepted of [check(10), check(12), check(null, 11), check(null, 0, 'without a last record')])
    expect(accepted).not.toThrow();
});

describe('an output whose position has the last record at 10 and the end at 12', () => {
  const committed = { ...position(7), logs: { output: { id: null, start: null, end: 12, last: 10 } } };

  /** Checks a log up to `end` in which only the records at `offsets` are committed. */
  function check(offsets: readonly number[], end: number, start = 0): Promise<void> {
    const client = {
      openReader: (_: ReaderOptions) => ({
        read: async (from: number) => {
          const records = offsets
            .filter((offset) => offset >= from)
            .map((offset) => ({ offset, timestamp: 0, key: null, value: null }));
          return { records, next: end, end, written: end, epoch: null };
        },
        close: async () => {},
      }),
    } as unknown as StreamClient;
    const context = { client, application: APPLICATION, positions: 'positions', changelogs: [] };
    return requireSameCommit(context, committed, { topic: 'output', partition: 3, start, end });
  }

  test.each([
    ['it has both', [10], 12, 0],
    ['aborted records follow', [10], 20, 0],
    ['retention removed all records', [], 12, 12],
    ['it was created again', [0], 2, 0],
  ])('is accepted when %s', async (_, offsets, end, start) => {
    await expect(check(offsets, end, start)).resolves.toBeUndefined();
  });

  test.each([
    ['the record at 10', [], 12, 'OUTPUT_TRUNCATED', 'output-3 lacks the record at offset 10'],
    [
      'the last position',
      [10, 12],
      14,
      'POSITION_TRUNCATED',
      'offset 12 that was committed after the position 7',
    ],
  ])('is refused without %s', async (_, offsets, end, code, text) => {
    await expect(check(offsets, end)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });
});
