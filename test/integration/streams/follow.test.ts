import { randomBytes, randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { offsetsAt, topicIds } from '#cluster/logs.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { MAX_PLAIN_BYTES } from '#streams/client/platformatic/decompress.ts';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import {
  type ExpiredRecords,
  type FetchedPartition,
  followLogs,
  type LogFollowOptions,
  type UnreadableBatch,
} from '#streams/read/follow.ts';
import { backbone } from '../../setup/backbone.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { makeTopics } from '../../support/topics.ts';

const { brokers, prefix } = backbone();
const kafka = createKafka({ brokers, clientId: 'follow-test' });
const CRASHES = process.env.FAULTS === 'full' ? 5 : 1;
let topics: [string, string];

async function makeBoth(at: readonly string[]): Promise<void> {
  const names = topics.map((topic, n) => ({ name: topic, partitions: n + 1, replicationFactor: 1 }));
  await makeTopics(at, names);
}

async function writer(at: readonly string[], timeoutMs = 30_000): Promise<Publisher> {
  const publisher = await openPublisher({ brokers: at, clientId: 'follow-test', log: quietLog, timeoutMs });
  onTestFinished(() => publisher.close());
  return publisher;
}

/** Returns records with these numbers as values, for the partitions of both topics in turn. */
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({
    topic: n % 3 === 0 ? topics[0] : topics[1],
    partition: n % 3 === 2 ? 1 : 0,
    key: 'k',
    value: Buffer.from(String(from + n)),
  }));

/** A reader that stores the values and checkpoints it receives. */
class RecordingReader {
  readonly values: number[] = [];
  readonly offsets = new Map<string, number>();
  readonly positions = new Set<string>();
  caughtUpAt: number | null = null;
  readonly #stop = new AbortController();
  ended: Promise<void> = Promise.resolve();

  start(options: Partial<LogFollowOptions> = {}): this {
    const onBatch = (batch: readonly FetchedPartition[]): void => {
      for (const of of batch) {
        for (const { offset, value } of of.records) {
          this.values.push(Number(value));
          this.positions.add(`${partitionKey(of)} ${offset}`);
        }
        this.offsets.set(partitionKey(of), of.next);
      }
    };
    const onCaughtUp = (): void => {
      this.caughtUpAt = this.values.length;
    };
    const { signal } = this.#stop;
    this.ended = followLogs({ brokers, topics, signal, onBatch, onCaughtUp, ...options });
    onTestFinished(() => this.#stop.abort());
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const upTo = (end: number, from = 0) => Array.from({ length: end - from }, (_, n) => from + n);

beforeEach(async () => {
  topics = [`${prefix}${randomUUID()}`, `${prefix}${randomUUID()}`];
  await makeBoth(brokers);
});

test('delivers all records of several topics, reports that it caught up, and delivers new ones', async () => {
  const publisher = await writer(brokers);
  await publisher.publish(numbers(0, 100));
  const reader = new RecordingReader().start();
  await untilTrue('all records are delivered', () => reader.caughtUpAt !== null);
  expect(reader.caughtUpAt).toBe(100);
  await publisher.publish(numbers(100, 110));
  await untilTrue('the new records are delivered', () => reader.values.length >= 110);
  await reader.stop();
  expect(sorted(reader.values)).toEqual(upTo(110));
});

test('continues from its checkpoints, and reports at once that it caught up without new records', async () => {
  const publisher = await writer(brokers);
  await publisher.publish(numbers(0, 50));
  const first = new RecordingReader().start();
  await untilTrue('all records are delivered', () => first.caughtUpAt !== null);
  await first.stop();
  const second = new RecordingReader().start({ from: first.offsets });
  await untilTrue('it has caught up', () => second.caughtUpAt === 0);
  await publisher.publish(numbers(50, 60));
  await untilTrue('the new records are delivered', () => second.values.length >= 10);
  await second.stop();
  expect(sorted(second.values)).toEqual(upTo(60, 50));
});

test('delivers what one fetch found in all partitions together', async () => {
  const publisher = await writer(brokers);
  await publisher.publish(numbers(0, 30));
  const partitions: number[] = [];
  await followLogs({
    brokers,
    topics,
    untilEnd: true,
    onBatch: ({ length }) => void partitions.push(length),
  });
  // The first fetch of a reader is that of the partition whose leader it learns first.
  expect(partitions).toEqual([1, 2]);
});

test('says which records expired before it read them, and continues after them', async () => {
  const [topic] = topics;
  const records = (from: number, to: number) =>
    numbers(from, to).map((one) => ({ ...one, topic, partition: 0 }));
  const publisher = await writer(brokers);
  const values: number[] = [];
  const expired: ExpiredRecords[] = [];
  const onExpired = (one: ExpiredRecords) => expired.push(one);
  const gate = Promise.withResolvers<void>();
  await publisher.publish(records(0, 10));
  const reader = new RecordingReader().start({
    topics: [topic],
    onExpired,
    async onBatch(batch) {
      values.push(...batch.flatMap(({ records }) => records.map(({ value }) => Number(value))));
      await gate.promise;
    },
  });
  await untilTrue('it holds the first records', () => values.length === 10);
  await publisher.publish(records(10, 20));
  const admin = kafka.admin();
  await admin.connect();
  onTestFinished(() => admin.disconnect());
  // Loads what it knows of the topic.
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '15' }] });
  gate.resolve();
  await untilTrue('it reads on', () => values.length >= 15);
  await reader.stop();
  expect(values).toEqual([...upTo(10), ...upTo(20, 15)]);
  const gap = { topic, partition: 0, from: 10, next: 15 };
  expect(expired).toEqual([gap]);

  const from = new Map([[partitionKey(gap), 10]]);
  const later = new RecordingReader().start({ topics: [topic], from, onExpired });
  await untilTrue('it has caught up', () => later.caughtUpAt !== null);
  await later.stop();
  expect(later.values).toEqual(upTo(20, 15));
  expect(expired).toEqual([gap, gap]);
});

test('reads what is left up to the end when records expire meanwhile', async () => {
  const [topic] = topics;
  const publisher = await writer(brokers);
  // The first fetch has at most four of these.
  for (let n = 0; n < 6; n += 1)
    await publisher.publish([{ topic, partition: 0, key: 'k', value: randomBytes(900_000) }]);
  const admin = kafka.admin();
  await admin.connect();
  onTestFinished(() => admin.disconnect());
  await admin.fetchTopicOffsets(topic);
  const offsets: number[] = [];
  const onBatch: LogFollowOptions['onBatch'] = async (batch) => {
    if (offsets.length === 0)
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '5' }] });
    offsets.push(...batch.flatMap(({ records }) => records.map(({ offset }) => offset)));
  };
  await followLogs({ brokers, topics: [topic], untilEnd: true, onBatch });
  expect(offsets).toEqual([0, 1, 2, 3, 5]);
});

/** Tolerance for the rounding of timers and clocks. */
const NEARLY = 0.95;

test('fetches from an idle broker twice a second, or after two and then five seconds in a reader of one partition', async () => {
  const times: number[] = [];
  const onUpToDate = ({ topic }: TopicPartition): void => {
    if (topic === topics[0]) times.push(performance.now());
  };
  const reader = new RecordingReader().start({ onUpToDate });
  // The first request for each of the three partitions does not wait for records.
  await untilTrue('it has fetched some times', () => times.length >= 6);
  await reader.stop();
  const [third, , fifth] = times.slice(3);
  expect((fifth as number) - (third as number)).toBeGreaterThan(NEARLY * 1_000);

  const client = openStreamClient({ brokers, clientId: 'follow-test', log: quietLog });
  onTestFinished(() => client.close());
  const one = client.openReader({ topic: topics[0], partition: 0, maxBytes: 1 });
  const read = async (): Promise<number> => {
    const started = performance.now();
    await one.read(0);
    return performance.now() - started;
  };
  const first = await read();
  const second = await read();
  const idle = await read();
  expect(second).toBeGreaterThan(NEARLY * 2_000);
  expect(first).toBeLessThan(second);
  expect(idle).toBeGreaterThan(NEARLY * 5_000);
});

test('delivers what arrives within its pace together, and the first record after a pause at once', async () => {
  const publisher = await writer(brokers);
  let paceMs = 1_000;
  const times: number[] = [];
  const onBatch = (): void => void times.push(performance.now());
  const reader = new RecordingReader().start({
    topics: [topics[0]],
    paceMs: () => paceMs,
    idleMs: () => 10_000,
    onBatch,
  });
  await untilTrue('it has caught up', () => reader.caughtUpAt === 0);
  const write = () => publisher.publish([{ topic: topics[0], key: 'k', value: Buffer.from('1') }]);
  const started = performance.now();
  await write();
  await untilTrue('the first record is delivered', () => times.length === 1);
  expect((times[0] as number) - started).toBeLessThan(paceMs);
  for (let n = 0; n < 5; n += 1) await write();
  await untilTrue('the others are delivered', () => times.length >= 2);
  expect((times[1] as number) - started).toBeGreaterThan(NEARLY * paceMs);
  paceMs = 0;
  const { length: delivered } = times;
  await write();
  await untilTrue('one more is delivered', () => times.length > delivered);
  const quickened = performance.now();
  await write();
  await untilTrue('another one is delivered at once', () => times.length > delivered + 1);
  expect((times.at(-1) as number) - quickened).toBeLessThan(NEARLY * 1_000);
  await reader.stop();
});

test('delivers a committed transaction, and catches up at its markers', async () => {
  const client = openStreamClient({ brokers, clientId: 'follow-test', log: quietLog });
  onTestFinished(() => client.close());
  const producer = await client.openProducer({
    transactionalId: `${prefix}follow`,
    own: topics.map((topic) => ({ topic, partition: 0 })),
  });
  onTestFinished(() => producer.close());
  await producer.transact(numbers(0, 6).map((record) => ({ ...record, key: 'k' })));
  const reader = new RecordingReader().start();
  await untilTrue('all records are delivered', () => reader.caughtUpAt !== null);
  expect(sorted(reader.values)).toEqual(upTo(6));
  await reader.stop();
  // The markers of the transaction follow the last record; no record is left to wait for.
  const resumed = new RecordingReader().start({ from: reader.offsets });
  await untilTrue('it has caught up', () => resumed.caughtUpAt === 0);
  await resumed.stop();
});

test('does not catch up before an open transaction is decided', async () => {
  const producer = kafka.producer({
    transactionalId: `${prefix}open`,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const transaction = await producer.transaction();
  await transaction.send({ topic: topics[0], messages: [{ partition: 0, value: '0' }] });
  const upToDate = new Set<string>();
  const onUpToDate = (of: TopicPartition) => void upToDate.add(partitionKey(of));
  const reader = new RecordingReader().start({ onUpToDate });
  await (await writer(brokers)).publish([
    { topic: topics[1], partition: 0, key: 'k', value: Buffer.from('1') },
  ]);
  await untilTrue('the record of the other topic is delivered', () => reader.values.includes(1));
  expect(reader.caughtUpAt).toBeNull();
  // All committed records are delivered: every partition is reported as up to date repeatedly.
  upToDate.clear();
  await untilTrue('all are up to date', () => upToDate.size === 3);
  await transaction.commit();
  await untilTrue('it has caught up', () => reader.caughtUpAt !== null);
  expect(sorted(reader.values)).toEqual([0, 1]);
});

test('rejects a checkpoint beyond the end of the log', async () => {
  const from = new Map([[partitionKey({ topic: topics[0], partition: 0 }), 7]]);
  await expect(new RecordingReader().start({ from }).ended).rejects.toMatchObject({ code: 'POSITION_LOST' });
});

test('reports a batch that nobody can read, and reads on after it', async () => {
  const [topic] = topics;
  const publisher = await writer(brokers);
  await publisher.publish(numbers(0, 3));
  const producer = kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const value = Buffer.alloc(MAX_PLAIN_BYTES + 1);
  await producer.send({
    topic,
    compression: kafkajs.CompressionTypes.GZIP,
    messages: [{ partition: 0, value }],
  });
  await publisher.publish(numbers(3, 6));
  const batches: UnreadableBatch[] = [];
  const reader = new RecordingReader().start({
    untilEnd: true,
    onUnreadableBatch: (batch) => batches.push(batch),
  });
  await reader.ended;
  expect(sorted(reader.values)).toEqual(upTo(6));
  expect(batches).toMatchObject([{ topic, partition: 0, offset: 1, error: { code: 'TOO_LARGE' } }]);
  await expect(new RecordingReader().start({ untilEnd: true }).ended).rejects.toThrow(/more than \d+ bytes/);
});

test('rejects with an error of its callback', async () => {
  await (await writer(brokers)).publish(numbers(0, 3));
  const onBatch = (): void => {
    throw new RangeError('not mine');
  };
  await expect(new RecordingReader().start({ onBatch }).ended).rejects.toThrow('not mine');
});

test('returns the ids of topics, and finds records by their time', async () => {
  const ids = await topicIds(brokers, topics);
  expect(new Set(ids.values()).size).toBe(2);
  expect(await topicIds(brokers, topics)).toEqual(ids);
  const publisher = await writer(brokers);
  await publisher.publish(numbers(0, 3));
  const time = await until('the clock has moved on', async () => {
    const now = Date.now();
    await new Promise(setImmediate);
    return now;
  });
  await untilTrue('the clock has moved on', () => Date.now() > time + 1);
  await publisher.publish(numbers(3, 6));
  const key = partitionKey({ topic: topics[0], partition: 0 });
  expect((await offsetsAt({ brokers, topic: topics[0], time: time + 2 })).get(key)).toBe(1);
  expect((await offsetsAt({ brokers, topic: topics[0], time: 0 })).get(key)).toBe(0);
});

test(`through ${CRASHES} crashes of the broker loses no acknowledged record and delivers each once, and stops while the broker hangs`, async () => {
  const { kafka, directBrokers } = await restartableKafka();
  await makeBoth(directBrokers);
  const publisher = await writer(directBrokers, 5_000);
  const reader = new RecordingReader().start({ brokers: directBrokers });
  const acknowledged = new Set<number>();
  let [next, isEnding] = [0, false];
  const send = async (): Promise<void> => {
    while (!isEnding) {
      const from = next;
      next += 5;
      await publisher.publish(numbers(from, from + 5)).then(
        () => upTo(from + 5, from).forEach((n) => void acknowledged.add(n)),
        () => {},
      );
    }
  };
  const senders = Array.from({ length: 10 }, send);
  // A closed publisher rejects at once: after a failure they would never end.
  onTestFinished(() => {
    isEnding = true;
  });
  const more = async (): Promise<void> => {
    const { size } = acknowledged;
    await untilTrue('records are acknowledged', () => acknowledged.size > size + 500);
  };
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await more();
    await kafka.kill('SIGKILL');
    expect(kafka.pid).toBeUndefined();
    await kafka.start();
  }
  await more();
  isEnding = true;
  await Promise.all(senders);
  await untilTrue('all acknowledged records are delivered', () => {
    const delivered = new Set(reader.values);
    return [...acknowledged].every((n) => delivered.has(n));
  });

  await kafka.kill('SIGSTOP');
  onTestFinished(() => kafka.kill('SIGCONT'));
  const started = performance.now();
  await reader.stop();
  // Less than the 30 s for which a read is retried.
  expect(performance.now() - started).toBeLessThan(25_000);
  expect(reader.values.length).toBe(reader.positions.size);
});
