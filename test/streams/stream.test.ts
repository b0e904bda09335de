/** The task runtime with the smallest processor there is: it counts values by key, and its output is its changelog. */
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createKafka } from '#streams/kafkajs/kafka.ts';
import type { ConsumedRecord } from '#streams/port.ts';
import { positionsTopic } from '#streams/positions.ts';
import { type PartitionProcessor, PoisonError } from '#streams/processor.ts';
import { readTopic } from '#streams/read-topic.ts';
import type { RecordCollector } from '#streams/record-collector.ts';
import { runStream, type Stream } from '#streams/stream.ts';
import { backbone } from '../setup/backbone.ts';
import { quietLog } from '../support/log.ts';
import { untilTrue } from '../support/poll.ts';
import { makeTopics } from '../support/topics.ts';

const { brokers, prefix } = backbone();
const kafka = createKafka({ brokers, clientId: 'stream-test', log: quietLog });
const PARTITIONS = 2;
const POISON = 'poison';

let input: string;
let counts: string;
let letters: string;
let application: string;

beforeEach(async () => {
  const id = randomUUID();
  [input, counts, letters] = ['input', 'counts', 'letters'].map((name) => `${prefix}${name}-${id}`) as [
    string,
    string,
    string,
  ];
  application = `${prefix}app-${id}`;
  await makeTopics(brokers, [
    { topic: input, numPartitions: PARTITIONS },
    {
      topic: counts,
      numPartitions: PARTITIONS,
      configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
    },
    { topic: letters, numPartitions: 1 },
    {
      topic: positionsTopic(application),
      numPartitions: PARTITIONS,
      configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
    },
  ]);
});

/** Counts by key; `fail` may throw for a value. A commit has `most` keys at most. */
class CountByKey implements PartitionProcessor {
  readonly #counts = new Map<string, number>();
  readonly #changed = new Set<string>();
  readonly #fail: (value: string) => void;
  readonly #most: number;

  constructor(fail: (value: string) => void, most: number) {
    this.#fail = fail;
    this.#most = most;
  }

  isFull(): boolean {
    return this.#changed.size >= this.#most;
  }

  restore(_topic: string, records: readonly ConsumedRecord[]): void {
    for (const { key, value } of records) this.#counts.set(String(key), Number(value));
  }

  process({ key, value }: ConsumedRecord, _collector: RecordCollector): void {
    if (String(value) === POISON) throw new PoisonError('undecodable', 'as this test wants it');
    const name = String(key);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#changed.add(name);
    // After the change, so that only a rebuild can undo it.
    this.#fail(String(value));
  }

  flush(collector: RecordCollector): void {
    for (const key of this.#changed) collector.add(counts, key, Buffer.from(String(this.#counts.get(key))));
    this.#changed.clear();
  }

  committed(): void {}

  size(): number {
    return this.#counts.size;
  }

  close(): void {}
}

async function start(
  fail: (value: string) => void = () => {},
  most = Number.POSITIVE_INFINITY,
): Promise<{ stream: Stream; metrics: Registry }> {
  const metrics = new Registry();
  const stream = await runStream({
    brokers,
    application,
    input,
    changelogs: [counts],
    outputs: [{ topic: letters, partitions: 1 }],
    createProcessor: () => new CountByKey(fail, most),
    deadLetter: (partition, record, error) => ({
      topic: letters,
      partition: 0,
      key: `${partition}/${record.offset}`,
      value: Buffer.from(`${error.code} ${record.value}`),
    }),
    log: quietLog,
    metrics,
    // No test is about its end.
    sessionTimeoutMs: 300_000,
  });
  onTestFinished(() => stream.stop());
  return { stream, metrics };
}

async function send(...values: [key: string, value: string][]): Promise<void> {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  await producer.send({
    topic: input,
    messages: values.map(([key, value]) => ({ key, value, partition: key.length % PARTITIONS })),
  });
  await producer.disconnect();
}

/** The last committed value of each key of a topic. */
async function read(topic: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await readTopic({
    brokers,
    topic,
    fromBeginning: true,
    // A transaction is counted a moment before it is decided: this end is behind what it wrote.
    untilEnd: true,
    onRecord: ({ key, value }) => {
      if (value !== null) found[String(key)] = String(value);
    },
  });
  return found;
}

const metric = async (metrics: Registry, name: string): Promise<number> =>
  (await metrics.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;

describe('stream', () => {
  test('what it counted is there after a restart, and it goes on from it', async () => {
    const first = await start();
    await send(['a', '1'], ['bb', '1'], ['a', '2']);
    await untilTrue(
      'three records',
      async () => (await metric(first.metrics, 'touchline_records_total')) === 3,
    );
    await first.stream.stop();

    await send(['a', '3'], ['ccc', '1']);
    const second = await start();
    await untilTrue('two more', async () => (await metric(second.metrics, 'touchline_records_total')) === 2);
    expect(await read(counts)).toEqual({ a: '3', bb: '1', ccc: '1' });
    expect(await metric(second.metrics, 'touchline_restore_records_total')).toBeGreaterThanOrEqual(2);
    await untilTrue('it is ready', () => second.stream.ready());
  });

  test('a poison record goes to dead-letters, the ones around it are processed', async () => {
    const { metrics } = await start();
    await send(['a', POISON], ['a', '1'], ['bb', '1']);
    await untilTrue('three records', async () => (await metric(metrics, 'touchline_records_total')) === 3);
    expect(await read(letters)).toEqual({ '1/0': 'undecodable poison' });
    expect(await read(counts)).toEqual({ a: '1', bb: '1' });
    expect(await metric(metrics, 'touchline_task_failures_total')).toBe(0);
  });

  test('an error that passes: the partition is rebuilt and the record counts once', async () => {
    let failures = 0;
    const { metrics } = await start((value) => {
      if (value === 'shaky' && failures++ === 0) throw new Error('as this test wants it');
    });
    await send(['a', '1'], ['a', 'shaky'], ['a', '2']);
    await untilTrue('three records', async () => (await metric(metrics, 'touchline_records_total')) === 3);
    expect(await read(counts)).toEqual({ a: '3' });
    expect(await read(letters)).toEqual({});
    expect(await metric(metrics, 'touchline_task_failures_total')).toBe(1);
  });

  test('a processor that is full is committed in the middle of a batch, once for each record', async () => {
    let failures = 0;
    const { metrics } = await start((value) => {
      if (value === 'shaky' && failures++ === 0) throw new Error('as this test wants it');
    }, 2);
    // All of one partition, sent as one batch.
    await send(['a', '1'], ['b', '1'], ['c', '1'], ['d', '1'], ['e', 'shaky'], ['a', '2']);
    await untilTrue('six records', async () => (await metric(metrics, 'touchline_records_total')) === 6);
    expect(await read(counts)).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
    expect(await metric(metrics, 'touchline_transactions_total')).toBe(3);
  });

  test('an error that stays: tried twice, then a dead letter that leaves no trace in the state', async () => {
    let tries = 0;
    const { metrics, stream } = await start((value) => {
      if (value !== 'broken') return;
      tries += 1;
      throw new Error('as this test wants it');
    });
    await send(['a', '1'], ['a', 'broken'], ['a', '2']);
    await untilTrue('three records', async () => (await metric(metrics, 'touchline_records_total')) === 3);
    expect(await read(counts)).toEqual({ a: '2' });
    expect(await read(letters)).toEqual({ '1/1': 'processing_failed broken' });
    expect(tries).toBe(2);
    await untilTrue('it is ready', () => stream.ready());
  });
});
