import { describe, expect, it } from 'vitest';
import { PublishError } from './publish-error.ts';
import { PublishQueue } from './publish-queue.ts';
import type { PublishRecord } from './publisher.ts';

const record = (id: string, bytes = 0, topic = 'topic'): PublishRecord => ({
  topic,
  key: id,
  value: Buffer.alloc(bytes),
});
const KIB = 1024;
const LATER = 1_000;

/** What has become of a publish by now. */
async function stateOf(publish: Promise<void>): Promise<string> {
  const settled = publish.then(
    () => 'done',
    (error: PublishError) => error.code,
  );
  return Promise.race([settled, new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);
}

const keys = (round: { records: readonly { record: PublishRecord }[] } | null) =>
  round?.records.map((queued) => queued.record.key);

describe('a queue', () => {
  it('gives what waits in one round, in order, and settles each publish with its last record', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const one = queue.add([record('a'), record('b')], LATER);
    const two = queue.add([record('c')], LATER);
    const round = queue.take(0);
    expect(keys(round)).toEqual(['a', 'b', 'c']);
    expect(round).toMatchObject({ publishes: 2, deadline: LATER });
    expect(queue.take(0)).toBeNull();
    expect([await stateOf(one), await stateOf(two)]).toEqual(['waits', 'waits']);
    if (round !== null) queue.acknowledge(round, LATER);
    expect([await stateOf(one), await stateOf(two)]).toEqual(['done', 'done']);
    expect(queue.bytes).toBe(0);
  });

  it('gives no topic more than a record batch may hold, but for a record that is larger by itself', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const publish = queue.add(
      [
        record('a', 500 * KIB),
        record('x', 500 * KIB, 'other'),
        record('b', 500 * KIB),
        record('c', 3000 * KIB),
        record('d'),
      ],
      LATER,
    );
    for (const expected of [['a', 'x'], ['b'], ['c'], ['d']]) {
      expect(await stateOf(publish)).toBe('waits');
      const round = queue.take(0);
      expect(keys(round)).toEqual(expected);
      if (round !== null) queue.acknowledge(round, LATER);
    }
    expect(await stateOf(publish)).toBe('done');
  });

  it('refuses what would be too much, and takes it where nothing else waits', async () => {
    const queue = new PublishQueue(100 * KIB);
    const large = queue.add([record('a', 200 * KIB)], LATER);
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('QUEUE_FULL');
    const round = queue.take(0);
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('QUEUE_FULL');
    if (round !== null) queue.acknowledge(round, LATER);
    expect(await stateOf(large)).toBe('done');
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('waits');
  });

  it('refuses what has run out of time before it was sent', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const late = queue.add([record('a')], 10);
    const inTime = queue.add([record('b')], 11);
    expect(keys(queue.take(10))).toEqual(['b']);
    expect([await stateOf(late), await stateOf(inTime)]).toEqual(['TIMEOUT', 'waits']);
  });

  it('queues a round that failed again, but for what is out of time', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const late = queue.add([record('a')], 10);
    const inTime = queue.add([record('b')], 20);
    const round = queue.take(0);
    const after = queue.add([record('c')], 30);
    if (round !== null) queue.fail(round, new PublishError('TIMEOUT', 'no answer'), 10);
    expect(keys(queue.take(10))).toEqual(['b', 'c']);
    expect([await stateOf(late), await stateOf(inTime), await stateOf(after)]).toEqual([
      'TIMEOUT',
      'waits',
      'waits',
    ]);
  });

  it('finds the one publish that the broker does not take, and lets the others through', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const publishes = ['a', 'large', 'c'].map((id) => queue.add([record(id), record(`${id}2`)], LATER));
    const together = queue.take(0);
    expect(together?.publishes).toBe(3);
    if (together !== null) queue.fail(together, new PublishError('RECORD_TOO_LARGE', 'too large'), 0);
    for (const id of ['a', 'large', 'c']) {
      const round = queue.take(0);
      expect(keys(round)).toEqual([id, `${id}2`]);
      if (round === null) continue;
      if (id === 'large') queue.fail(round, new PublishError('RECORD_TOO_LARGE', 'too large'), 0);
      else queue.acknowledge(round, LATER);
    }
    expect(await Promise.all(publishes.map(stateOf))).toEqual(['done', 'RECORD_TOO_LARGE', 'done']);
    expect(queue.take(0)).toBeNull();
    expect(queue.bytes).toBe(0);
  });

  it('gives a publish time anew with each acknowledged round', async () => {
    const queue = new PublishQueue(Number.MAX_SAFE_INTEGER);
    const publish = queue.add([record('a', 800 * KIB), record('b', 800 * KIB)], 10);
    const first = queue.take(9);
    if (first !== null) queue.acknowledge(first, 19);
    expect(keys(queue.take(18))).toEqual(['b']);
    expect(await stateOf(publish)).toBe('waits');
  });
});
