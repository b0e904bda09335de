/** What an idle partition notices of its logs. */
import { beforeEach, expect, test } from 'vitest';
import type { TopicPartition } from '../client/port.ts';
import { LogRecheck } from './log-recheck.ts';
import type { LogMark } from './positions.ts';

const TOPICS = ['positions', 'state', 'output'];
/** The cluster: ids by topic, and the end of every partition of a topic. */
let ids: Map<string, string>;
let ends: Record<string, number>;
let starts: Record<string, number>;
let requests: string[];
let recheck: LogRecheck;

beforeEach(() => {
  ids = new Map(TOPICS.map((topic) => [topic, `id of ${topic}`]));
  ends = { positions: 10, state: 20, output: 30 };
  starts = {};
  requests = [];
  recheck = new LogRecheck(
    {
      async topicIds() {
        requests.push('ids');
        return new Map(ids);
      },
      async logBounds<P extends TopicPartition>(of: readonly P[]) {
        requests.push('bounds');
        return of.map((one) => ({ ...one, start: starts[one.topic] ?? 0, end: ends[one.topic] ?? 0 }));
      },
    },
    TOPICS,
  );
});

const mark = (end: number | null, id: string | null = null): LogMark => ({ id, start: 0, end, last: null });
const MARKS = { state: mark(20, 'id of state'), output: { ...mark(30), start: null } };
/** Checks two partitions with these marks. Returns the code and the message of each doubt. */
async function doubts(marks: Readonly<Record<string, LogMark>> = MARKS, isIdle = true) {
  const found = await recheck.find([0, 1].map((partition) => ({ partition, marks, isIdle })));
  return [...found].map(([partition, { code, message }]) => `${partition} ${code}: ${message}`);
}
/** The same doubt of both partitions; `#` stands for the partition. */
const ofBoth = (doubt: string) =>
  [0, 1].map((partition) => `${partition} ${doubt.replace('#', `${partition}`)}`);

test('finds nothing where nothing changed or logs grew, and asks once for all partitions', async () => {
  expect(await doubts()).toEqual([]);
  ends = { positions: 11, state: 25, output: 30 };
  expect(await doubts()).toEqual([]);
  expect(requests).toEqual(['ids', 'bounds', 'ids', 'bounds']);
});

test('finds a changelog that is another topic than that of the task, at the first check', async () => {
  ids.set('state', 'another');
  ends.state = 0;
  expect(await doubts()).toEqual(ofBoth('TOPIC_RECREATED: state was deleted and created again'));
});

test.each(TOPICS)('finds that %s was deleted or created again since the last check', async (topic) => {
  await doubts();
  ids.delete(topic);
  expect(await doubts()).toContain(`0 TOPIC_RECREATED: ${topic} was deleted`);
  ids.set(topic, 'another');
  expect(await doubts()).toContain(`1 TOPIC_RECREATED: ${topic} was deleted and created again`);
});

test('finds an output that was created again once, as its new log is shorter', async () => {
  await doubts();
  ids.set('output', 'another');
  ends.output = 0;
  expect(await doubts()).toContain('0 TOPIC_RECREATED: output was deleted and created again');
  expect(await doubts({ ...MARKS, output: mark(0) })).toEqual([]);
});

test('finds logs that end before the marks of their task', async () => {
  ends.state = 19;
  expect(await doubts()).toEqual(ofBoth('LOG_TRUNCATED: state-# ends at offset 19, and had reached 20'));
});

test('finds a changelog that lost its first records, also of a task that commits, whose ends may be ahead', async () => {
  [starts.state, ends.state] = [3, 19];
  const cut = 'LOG_TRUNCATED: state-# begins at offset 3, and had begun at 0';
  expect(await doubts(MARKS, false)).toEqual(ofBoth(cut));
});

test('finds positions that lost their end since the last check, once', async () => {
  await doubts();
  ends.positions = 9;
  expect(await doubts()).toContain('0 LOG_TRUNCATED: positions-0 ends at offset 9, and had reached 10');
  expect(await doubts()).toEqual([]);
});
