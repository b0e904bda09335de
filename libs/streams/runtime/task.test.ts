/** A task that was closed, or that failed, during an await does nothing afterwards. */
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { machineClock } from '#timing/clock.ts';
import { quietLog } from '../../../test/support/log.ts';
import { StreamError } from '../errors.ts';
import { streamMetrics } from './metrics.ts';
import { Task } from './task.ts';
import type { TaskState } from './task-state.ts';
import { FakeClient, FakeProcessor, RECORD } from './testing/fakes.ts';

let client: FakeClient;
let registry: Registry;
let processors: FakeProcessor[];
let waiting: PromiseWithResolvers<void>;

beforeEach(() => {
  client = new FakeClient();
  registry = new Registry();
  processors = [];
  waiting = Promise.withResolvers();
});

/** Claims a partition with a task whose first processor waits at `step`. */
function claimed(step?: 'restore' | 'process', { clock = machineClock, log = quietLog } = {}): Task {
  const task = new Task(0, {
    application: 'app',
    input: 'input',
    changelogs: ['one', 'two'],
    outputs: [{ topic: 'results', partitions: 'own' }],
    positions: 'app-positions',
    partitions: 1,
    client,
    onLostInput: 'stop',
    log,
    clock,
    metrics: streamMetrics(registry, () => []),
    deadLetter: () => ({ topic: 'letters', partition: 0, key: 'a', value: null }),
    createProcessor() {
      const isFirst = processors.length === 0;
      const processor = new FakeProcessor(isFirst && step !== undefined ? { [step]: waiting.promise } : {});
      processors.push(processor);
      return processor;
    },
  });
  task.claim();
  return task;
}

const isAt = (step: string) => expect.poll(() => processors[0]?.did).toContain(step);
/** The gauges of a partition that is processed. */
const GAUGES = ['lag_records', 'undecided_records', 'undecided_seconds', 'state_entries'];
/** Returns all values of these metrics. */
async function valuesOf(names: readonly string[]) {
  const found = await Promise.all(names.map((name) => registry.getSingleMetric(`touchline_${name}`)?.get()));
  return found.flatMap((metric) => metric?.values ?? expect.fail('no such metric'));
}
/** Waits until all microtasks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Releases the partition of a task, then ends what its processor or producer waits for. */
async function releaseThenResume(task: Task): Promise<void> {
  await task.close();
  waiting.resolve();
  await settled();
}

/** Adds a committed position: state without one is refused. */
function withPosition(): void {
  const { openReader } = client;
  client.full.add('app-positions');
  const ids = { topic_id: 'id', producer_id: '1', producer_epoch: 0 };
  const position = { layout: 4, next: 0, input_epoch: null, logs: {}, ...ids };
  client.openReader = (options) => {
    const reader = openReader.call(client, options);
    if (options.topic !== 'app-positions') return reader;
    const record = { ...RECORD, value: Buffer.from(JSON.stringify(position)) };
    return { ...reader, read: async () => ({ records: [record], next: 1, end: 1, written: 1, epoch: null }) };
  };
}

describe('a processor that waits', () => {
  test('in restore is replaced by the next claim when another changelog fails', async () => {
    withPosition();
    client.full.add('one').add('input');
    client.broken.add('two');
    const task = claimed('restore');
    await isAt('restore one');
    await expect.poll(() => task.state).toBe('failed');
    client.broken.clear();
    task.claim();
    await expect.poll(() => client.transactions).toHaveLength(1);
    waiting.resolve();
    await settled();
    expect(task.state).toBe('running');
    expect(processors[0]?.did).toEqual(['restore one', 'close']);
    expect(processors[1]?.did).toEqual(['restore one', 'process', 'flush', 'committed']);
    expect(client.transactions).toHaveLength(1);
    await task.close();
  });

  test('in restore never runs when its partition is released', async () => {
    withPosition();
    client.full.add('one').add('input');
    const task = claimed('restore');
    await isAt('restore one');
    await releaseThenResume(task);
    expect(task.state).toBe('closed');
    expect(processors[0]?.did).toEqual(['restore one', 'close']);
    expect(client.transactions).toEqual([]);
  });

  test('for a record commits and counts nothing when its partition is released', async () => {
    client.full.add('input');
    const task = claimed('process');
    await isAt('process');
    await releaseThenResume(task);
    expect(processors[0]?.did).toEqual(['process', 'close']);
    expect(client.transactions).toEqual([]);
    expect(await valuesOf([...GAUGES, 'records_total'])).toEqual([]);
  });

  test('for a record counts no failure when it throws after the release', async () => {
    client.full.add('input');
    const task = claimed('process');
    await isAt('process');
    await task.close();
    waiting.reject(new Error('the store is closed'));
    await settled();
    expect((await valuesOf(['task_failures_total'])).filter(({ value }) => value > 0)).toEqual([]);
    expect(task.state).toBe('closed');
  });
});

test('counts tasks by state when metrics are read', async () => {
  const states: TaskState[] = ['running', 'failed', 'failed'];
  streamMetrics(registry, () => states);
  const read = async (state: TaskState): Promise<number> =>
    Number((await registry.metrics()).split(`touchline_tasks{state="${state}"} `)[1]?.split('\n')[0]);
  expect([await read('running'), await read('failed'), await read('refused')]).toEqual([1, 2, 0]);
  states.length = 1;
  expect(await read('failed')).toBe(0);
});

test('exports the counters of alerts before the first failure', async () => {
  client.full.add('input');
  const task = claimed();
  await isAt('committed');
  const text = await registry.metrics();
  for (const series of [
    'touchline_dead_letters_total{code="undecodable"}',
    'touchline_task_failures_total{code="UNAVAILABLE"}',
    'touchline_task_failures_total{code="POSITION_MISSING"}',
    'touchline_task_failures_total{code="PROCESSING_FAILED"}',
    'touchline_task_failures_total{code="FOLDER_UNUSABLE"}',
    'touchline_lost_records_total{partition="0"}',
  ])
    expect(text).toContain(`${series} 0\n`);
  await task.close();
});

test('a running task whose logs are in doubt is claimed again after its read', async () => {
  const task = claimed();
  await expect.poll(() => task.state).toBe('running');
  task.doubt(new StreamError('TOPIC_RECREATED', 'as this test wants it'));
  expect(task.state).toBe('running');
  for (const read of client.reads) read.resolve({ records: [], next: 0, end: 0, written: 0, epoch: null });
  await expect.poll(() => task.state).toBe('failed');
  expect(task.failure?.code).toBe('TOPIC_RECREATED');
  await task.close();
});

test('measures how long records wait behind an open transaction, and names each once after a minute', async () => {
  let now = 0;
  const clock = { ...machineClock, monotonic: () => now };
  const named: object[] = [];
  const batches = [
    { at: 0, end: 0, written: 0 },
    { at: 3_600_000, end: 0, written: 0 },
    { at: 3_601_000, end: 0, written: 3 },
    { at: 3_661_000, end: 0, written: 4 },
    { at: 3_662_000, end: 0, written: 4 },
    { at: 3_663_000, end: 2, written: 4 },
    { at: 3_724_000, end: 2, written: 4 },
  ];
  const seconds: number[] = [];
  const { openReader } = client;
  client.openReader = (options) => {
    const reader = openReader.call(client, options);
    const read = async () => {
      await settled();
      seconds.push(...(await valuesOf(['undecided_seconds'])).map(({ value }) => value));
      const batch = batches.shift();
      if (batch === undefined) return reader.read(0);
      now = batch.at;
      return { ...batch, records: [], next: batch.end, epoch: null };
    };
    return options.topic === 'input' ? { ...reader, read } : reader;
  };
  const task = claimed(undefined, { clock, log: { ...quietLog, error: (fields) => named.push(fields) } });
  await expect.poll(() => seconds).toEqual([0, 0, 1, 61, 62, 0, 61]);
  const code = 'TRANSACTION_OPEN';
  expect(named).toEqual([0, 2].map((offset) => ({ partition: 0, offset, code })));
  await task.close();
});

describe('a claim', () => {
  test('that is released stops the opening of its producer', async () => {
    let ended = false;
    client.opening = ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended = true;
          reject(new StreamError('UNAVAILABLE', 'closed'));
        });
      });
    const task = claimed();
    await task.close();
    await settled();
    expect(ended).toBe(true);
    expect(task.state).toBe('closed');
  });

  test('closes a producer that opens after its release, and does nothing more', async () => {
    client.opening = () => waiting.promise;
    const task = claimed();
    await releaseThenResume(task);
    expect(client.closed).toBe(1);
    expect(processors).toEqual([]);
  });

  test.each([
    ['is refused when it finds state without a position', 'one', false, 'refused', 'POSITION_MISSING'],
    ['is refused when it finds outputs without a position', 'results', false, 'refused', 'POSITION_MISSING'],
    ['fails when a newer owner may have written the state', 'one', true, 'failed', 'FENCED'],
  ])('%s', async (_, log, isFenced, state, code) => {
    client.full.add(log);
    client.isFenced = isFenced;
    const task = claimed();
    await expect.poll(() => task.state).toBe(state);
    expect(task.failure?.code).toBe(code);
    await task.close();
  });

  test('removes the gauges of the partition when it fails later', async () => {
    client.full.add('input');
    const task = claimed();
    await expect.poll(() => valuesOf(GAUGES)).toHaveLength(GAUGES.length);
    for (const read of client.reads) read.reject(new StreamError('OFFSET_OUT_OF_RANGE', 'truncated'));
    await expect.poll(() => task.state).toBe('failed');
    expect(await valuesOf(GAUGES)).toEqual([]);
    await task.close();
  });
});
