import { describe, expect, test } from 'vitest';
import type { PublishRecord } from '../client/port.ts';
import { PublishError, StreamError } from '../errors.ts';
import { PublishQueue, type QueuedBatch } from './publish-queue.ts';

const record = (id: string, bytes = 0, topic = 'topic'): PublishRecord => {
  return { topic, key: id, value: Buffer.alloc(bytes) };
};
const KIB = 1024;
const LATER = 1_000;

/** Returns the current state of a publish: done, waits, or its error code. */
async function stateOf(publish: Promise<void>): Promise<string> {
  const settled = publish.then(
    () => 'done',
    (error: PublishError) => error.code,
  );
  return Promise.race([settled, new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);
}

const statesOf = (...publishes: readonly Promise<void>[]) => Promise.all(publishes.map(stateOf));

const keys = (batch: { records: readonly { record: PublishRecord }[] } | null) =>
  batch?.records.map((queued) => queued.record.key);

const unlimited = () => new PublishQueue(Number.MAX_SAFE_INTEGER);

/** Returns the next batch, which must exist. */
function dequeued(queue: PublishQueue, now = 0) {
  const batch = queue.dequeue(now);
  if (batch === null) throw new Error('no record is due');
  return batch;
}

const NO_LEADER = new StreamError('UNAVAILABLE', 'no leader');

/** Returns the first `count` records of a batch as unsent. */
const unsentOf = ({ records }: QueuedBatch, count = records.length) =>
  new Map(records.slice(0, count).map((one) => [one.record, NO_LEADER]));

describe('a queue', () => {
  test('returns all waiting records in one batch, in order, and settles each publish with its last record', async () => {
    const queue = unlimited();
    const one = queue.add([record('a'), record('b')], LATER);
    const two = queue.add([record('c')], LATER);
    const batch = dequeued(queue);
    expect(keys(batch)).toEqual(['a', 'b', 'c']);
    expect(batch).toMatchObject({ publishes: 2, deadline: LATER });
    expect(queue.dequeue(0)).toBeNull();
    expect(await statesOf(one, two)).toEqual(['waits', 'waits']);
    queue.acknowledge(batch, LATER);
    expect(await statesOf(one, two)).toEqual(['done', 'done']);
    expect(queue.bytes).toBe(0);
  });

  test('returns for each topic at most one record batch, or a single larger record', async () => {
    const queue = unlimited();
    const small = [record('a', 500 * KIB), record('x', 500 * KIB, 'other'), record('b', 500 * KIB)];
    const publish = queue.add([...small, record('c', 3000 * KIB), record('d')], LATER);
    for (const expected of [['a', 'x'], ['b'], ['c'], ['d']]) {
      expect(await stateOf(publish)).toBe('waits');
      const batch = dequeued(queue);
      expect(keys(batch)).toEqual(expected);
      queue.acknowledge(batch, LATER);
    }
    expect(await stateOf(publish)).toBe('done');
  });

  test('rejects a publish above the limit, and accepts it when no other one waits', async () => {
    const queue = new PublishQueue(100 * KIB);
    const large = queue.add([record('a', 200 * KIB)], LATER);
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('QUEUE_FULL');
    const batch = dequeued(queue);
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('QUEUE_FULL');
    queue.acknowledge(batch, LATER);
    expect(await stateOf(large)).toBe('done');
    expect(await stateOf(queue.add([record('b')], LATER))).toBe('waits');
  });

  test('rejects a publish that timed out before it was sent', async () => {
    const queue = unlimited();
    const late = queue.add([record('a')], 10);
    const inTime = queue.add([record('b')], 11);
    expect(keys(queue.dequeue(10))).toEqual(['b']);
    expect(await statesOf(late, inTime)).toEqual(['TIMEOUT', 'waits']);
  });

  test('queues a failed batch again, except publishes that timed out', async () => {
    const queue = unlimited();
    const late = queue.add([record('a')], 10);
    const inTime = queue.add([record('b')], 20);
    const batch = dequeued(queue);
    const after = queue.add([record('c')], 30);
    queue.fail(batch, new PublishError('TIMEOUT', 'no answer'), 10);
    expect(keys(queue.dequeue(10))).toEqual(['b', 'c']);
    expect(await statesOf(late, inTime, after)).toEqual(['TIMEOUT', 'waits', 'waits']);
  });

  test('finds the one publish that the broker rejects, and sends the others', async () => {
    const queue = unlimited();
    const publishes = ['a', 'large', 'c'].map((id) => queue.add([record(id), record(`${id}2`)], LATER));
    const together = dequeued(queue);
    expect(together.publishes).toBe(3);
    queue.fail(together, new PublishError('RECORD_TOO_LARGE', 'too large'), 0);
    for (const id of ['a', 'large', 'c']) {
      const batch = dequeued(queue);
      expect(keys(batch)).toEqual([id, `${id}2`]);
      if (id === 'large') queue.fail(batch, new PublishError('RECORD_TOO_LARGE', 'too large'), 0);
      else queue.acknowledge(batch, LATER);
    }
    expect(await statesOf(...publishes)).toEqual(['done', 'RECORD_TOO_LARGE', 'done']);
    expect(queue.dequeue(0)).toBeNull();
    expect(queue.bytes).toBe(0);
  });

  test('holds unsent records and later ones of their lanes, without delaying other lanes', async () => {
    const queue = unlimited();
    const both = queue.add([record('a'), record('b')], LATER);
    const first = dequeued(queue);
    queue.acknowledge(first, LATER, { unsent: unsentOf(first, 1), until: 100 });
    const behind = queue.add([record('a')], LATER);
    const other = queue.add([record('c')], LATER);
    const second = dequeued(queue, 1);
    expect(keys(second)).toEqual(['c']);
    queue.acknowledge(second, LATER);
    expect(await statesOf(both, behind, other)).toEqual(['waits', 'waits', 'done']);
    expect(queue.dequeue(99)).toBeNull();
    expect(queue.holding).toBe(true);
    const third = dequeued(queue, 100);
    expect(keys(third)).toEqual(['a', 'a']);
    expect(queue.holding).toBe(false);
    queue.acknowledge(third, LATER);
    expect(await statesOf(both, behind)).toEqual(['done', 'done']);
    expect(queue.bytes).toBe(0);
  });

  test('retries held records at their time, even if more records are held meanwhile', () => {
    const queue = unlimited();
    for (const [now, id] of new Map([
      [0, 'a'],
      [60, 'b'],
    ])) {
      void queue.add([record(id)], LATER);
      const batch = dequeued(queue, now);
      expect(keys(batch)).toEqual([id]);
      queue.acknowledge(batch, LATER, { unsent: unsentOf(batch), until: now + 100 });
    }
    expect(queue.dequeue(99)).toBeNull();
    expect(keys(queue.dequeue(100))).toEqual(['a', 'b']);
  });

  test('rejects held records with the reason when they time out', async () => {
    const queue = unlimited();
    const late = queue.add([record('a')], 10);
    const batch = dequeued(queue);
    queue.acknowledge(batch, LATER, { unsent: unsentOf(batch), until: 20 });
    expect(queue.dequeue(20)).toBeNull();
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', cause: NO_LEADER });
    expect([queue.bytes, queue.holding]).toEqual([0, false]);
  });

  test('extends the deadline of a publish with each acknowledged batch', async () => {
    const queue = unlimited();
    const publish = queue.add([record('a', 800 * KIB), record('b', 800 * KIB)], 10);
    const first = dequeued(queue, 9);
    queue.acknowledge(first, 19);
    expect(keys(queue.dequeue(18))).toEqual(['b']);
    expect(await stateOf(publish)).toBe('waits');
  });
});
