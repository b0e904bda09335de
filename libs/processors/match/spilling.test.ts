import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecs, goal, partitionOf, run, START } from './testing/partition.ts';

/** Messages of another match, one each minute. */
function minutes(from: number, to: number): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = from; at <= to; at += 60) messages.push(goal(2, 110, at, false));
  return messages;
}

describe('a match that is not in memory', () => {
  test('is loaded for a late message: the same bytes are published', () => {
    const messages = [
      goal(1, 100, 0, false),
      goal(1, 110, 60, false),
      goal(1, 120, 120, false),
      ...minutes(180, 300),
      // A late correction.
      goal(1, 120, 2_001, true, 'cancelled'),
      ...minutes(2_020, 2_100),
      goal(1, 130, 3_001, true),
    ];
    const spilling = run({ maxLoaded: 1 }, messages);
    expect(spilling.partition.loadedSize()).toBeLessThan(2);
    expect(spilling.partition.size()).toBe(2);
    const all = run({}, messages);
    expect(all.partition.loadedSize()).toBe(2);
    expect(spilling.written).toEqual(all.written);
  });

  test('is dropped without a record if it received only keep-alives', () => {
    const alive = normalized(
      { id: 1, type: 'event_keep_alive', ut: START, data: { event: { id: 7 } } },
      START * 1_000,
    );
    const { written, partition } = run({ maxLoaded: 1 }, [
      codecs['normalized-messages'].encode(alive),
      ...minutes(60, 120),
    ]);
    expect(written.every((line) => !line.includes(' 7 '))).toBe(true);
    expect(partition.size()).toBe(1);
  });
});

describe('more matches than the limit', () => {
  const ids = Array.from({ length: 40 }, (_, at) => at + 1);
  // All within a second, then each match once more, and once without a change of the result.
  const messages = [100, 110, 110].flatMap((incident, at) => ids.map((id) => goal(id, incident, at, false)));
  const all = run({}, messages);

  test.each([
    ['by number', { maxLoaded: 8 }],
    ['by bytes', { maxLoadedBytes: 80_000 }],
    ['of which none stays', { maxLoadedBytes: 1 }],
  ])('%s: the most recently used stay, and the same bytes are published', (_, limits) => {
    const few = run(limits, messages);
    expect(few.written).toEqual(all.written);
    expect(few.partition.loadedSize()).toBeLessThanOrEqual(8);
    expect(few.partition.size()).toBe(40);
  });

  test('keep the most recently used ones loaded', () => {
    const decode = vi.spyOn(codecs['match-state'], 'decode');
    onTestFinished(() => decode.mockRestore());
    const used = [...ids.slice(0, 8), 1, 9, 1, 9, 8, 7].map((id, at) => goal(id, 100, at, false));
    run({ maxLoaded: 8 }, used);
    expect(decode).not.toHaveBeenCalled();
    run({ maxLoaded: 8 }, [...used, goal(2, 100, 20, false)]);
    expect(decode).toHaveBeenCalledTimes(1);
  });

  test('request a commit, and are spilled after it', () => {
    const partition = partitionOf({ maxLoaded: 8 });
    const collector = new RecordCollector(0);
    for (const [offset, value] of messages.slice(0, 40).entries()) {
      partition.process({ offset, key: null, value }, collector);
      expect(partition.isFull()).toBe(offset >= 12);
    }
    expect(partition.loadedSize()).toBe(40);
    partition.flush(collector);
    partition.committed();
    expect(partition.loadedSize()).toBe(6);
    expect(partition.isFull()).toBe(false);
  });
});
