/** What a task reads from a partition (libs/streams/client/platformatic/fetch.ts), against a real broker. */

import { randomUUID } from 'node:crypto';
import {
  addPartitionsToTxnV3,
  type Connection,
  endTxnV3,
  findErrorBy,
  initProducerIdV4,
} from '@platformatic/kafka';
import kafkajs from 'kafkajs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { topicIds } from '#cluster/logs.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import {
  type Fetched,
  fetchPartition,
  fetchPartitions,
  type PartitionFetch,
} from '#streams/client/platformatic/fetch.ts';
import { type Identity, nextSequence, produce, requestBytes } from '#streams/client/platformatic/produce.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import { recordBytes } from '#streams/client/produce-batches.ts';
import { backbone } from '../../setup/backbone.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { until } from '../../support/poll.ts';
import { makeTopics } from '../../support/topics.ts';

const { brokers, prefix } = backbone();
const TIMEOUT_MS = 10_000;

let topic: string;
let topicId: string;
let connections: BrokerConnections;
let leader: Connection;

beforeEach(async () => {
  topic = `${prefix}fetched-${randomUUID()}`;
  await makeTopics(brokers, [{ topic, numPartitions: 1, replicationFactor: 1 }]);
  topicId = (await topicIds(brokers, [topic])).get(topic) ?? '';
  connections = new BrokerConnections(brokers, 'fetch-test');
  leader = await connections.leader({ topic, partition: 0 });
});

afterEach(() => connections.close());

/** A producer that may leave transactions open while others continue. */
class Writer {
  readonly #coordinator: Connection;
  readonly #identity: Identity & { transactionalId: string };
  #sequence = 0;

  private constructor(coordinator: Connection, identity: Identity & { transactionalId: string }) {
    this.#coordinator = coordinator;
    this.#identity = identity;
  }

  static async open(): Promise<Writer> {
    const transactionalId = `${prefix}writer-${randomUUID()}`;
    const coordinator = await retryTransient(() => connections.coordinator('transaction', transactionalId));
    const { producerId, producerEpoch } = await retryTransient(() =>
      initProducerIdV4.api.async(coordinator, transactionalId, 60_000),
    );
    return new Writer(coordinator, { transactionalId, id: producerId, epoch: producerEpoch });
  }

  async write(...values: readonly string[]): Promise<void> {
    const { transactionalId, id, epoch } = this.#identity;
    await retryTransient(() =>
      addPartitionsToTxnV3.api.async(this.#coordinator, [
        {
          transactionalId,
          producerId: id,
          producerEpoch: epoch,
          verifyOnly: false,
          topics: [{ name: topic, partitions: [0] }],
        },
      ]),
    );
    const records = values.map((value) => ({ topic, partition: 0, key: 'key', value: Buffer.from(value) }));
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    const batch = { topic, partition: 0, records, bytes };
    const numbered = [{ batch, sequence: this.#sequence }];
    const buffer = Buffer.alloc(requestBytes(this.#identity, numbered));
    await produce.async(leader, this.#identity, numbered, TIMEOUT_MS, Date.now(), buffer);
    this.#sequence = nextSequence(this.#sequence, records.length);
  }

  async end(how: 'commit' | 'abort'): Promise<void> {
    const { transactionalId, id, epoch } = this.#identity;
    await endTxnV3.api.async(this.#coordinator, transactionalId, id, epoch, how === 'commit');
  }
}

function fetchFrom(offset: number, over: Partial<PartitionFetch> = {}): Promise<Fetched> {
  return fetchPartition(leader, {
    topicId,
    partition: 0,
    offset,
    maxWaitMs: 50,
    minBytes: 1,
    maxBytes: 1_048_576,
    isolation: 'committed',
    ...over,
  });
}

/** Fetches until the end is stable and read. */
async function readAll(over: Partial<PartitionFetch> = {}): Promise<string[]> {
  const values: string[] = [];
  let offset = over.offset ?? 0;
  return until('all is read', async () => {
    const { records, next, highWatermark, lastStableOffset } = await fetchFrom(offset, { ...over, offset });
    for (const { value } of records) values.push(String(value));
    offset = next;
    return offset === highWatermark && lastStableOffset === highWatermark ? values : undefined;
  });
}

test('hides the records of interleaved aborted transactions', async () => {
  const [a, b, c] = [await Writer.open(), await Writer.open(), await Writer.open()];
  await a.write('a1 aborted');
  await b.write('b1 aborted', 'b2 aborted');
  await c.write('c1');
  await a.write('a2 aborted');
  // In another order than they began.
  await b.end('abort');
  await b.write('b3');
  await a.end('abort');
  await c.write('c2');
  await a.write('a3 aborted');
  await b.end('commit');
  await c.end('commit');
  await a.end('abort');
  await a.write('a4');
  await a.end('commit');

  expect(await readAll()).toEqual(['c1', 'b3', 'c2', 'a4']);
  // Whole batches, one a fetch: every fetch has its own list of aborted transactions.
  expect(await readAll({ maxBytes: 1 })).toEqual(['c1', 'b3', 'c2', 'a4']);
  const uncommitted = await readAll({ isolation: 'uncommitted' });
  expect(uncommitted.filter((value) => value.endsWith('aborted'))).toHaveLength(5);
});

test('stops at the oldest open transaction', async () => {
  const [a, b] = [await Writer.open(), await Writer.open()];
  await a.write('a1');
  await a.end('commit');
  // The coordinator writes the marker after its answer; b's record may follow only then.
  await until('the first transaction is decided', async () =>
    (await fetchFrom(0)).lastStableOffset === 2 ? true : undefined,
  );
  await b.write('b1');
  await a.write('a2');
  await a.end('commit');

  const read = await fetchFrom(0);
  expect(read.records.map(({ value }) => String(value))).toEqual(['a1']);
  expect(read).toMatchObject({ next: 2, lastStableOffset: 2 });
  expect(read.highWatermark).toBeGreaterThan(read.lastStableOffset);
  await b.end('commit');
  expect(await readAll({ offset: read.next })).toEqual(['b1', 'a2']);
});

test('reads compressed batches, from the middle of one, with their times', async () => {
  const producer = createKafka({ brokers, clientId: 'fetch-test-writer' }).producer();
  await producer.connect();
  try {
    const messages = Array.from({ length: 100 }, (_, n) => ({
      key: n % 2 === 0 ? `key-${n}` : null,
      value: n % 3 === 0 ? null : `value-${n}`,
      timestamp: String(1_795_000_000_000 + n),
      headers: { name: 'a header' },
    }));
    await producer.send({ topic, acks: -1, compression: kafkajs.CompressionTypes.GZIP, messages });
  } finally {
    await producer.disconnect();
  }

  const { records, next } = await fetchFrom(42);
  expect(next).toBe(100);
  expect(records).toHaveLength(58);
  expect(
    records.slice(0, 3).map(({ key, value, ...rest }) => ({
      key: key?.toString() ?? null,
      value: value?.toString() ?? null,
      ...rest,
    })),
  ).toEqual([
    { offset: 42, key: 'key-42', value: null, timestamp: 1_795_000_000_042 },
    { offset: 43, key: null, value: 'value-43', timestamp: 1_795_000_000_043 },
    { offset: 44, key: 'key-44', value: 'value-44', timestamp: 1_795_000_000_044 },
  ]);
});

test('takes no more than asked of a compressed topic once decompressed, and the rest later', async () => {
  const values = Array.from({ length: 6 }, (_, n) => `${n}`.repeat(400_000));
  const topics = [`${topic}-a`, `${topic}-b`];
  const configEntries = [{ name: 'compression.type', value: 'zstd' }];
  await makeTopics(
    brokers,
    topics.map((name) => ({ topic: name, numPartitions: 1, replicationFactor: 1, configEntries })),
  );
  const ids = await topicIds(brokers, topics);
  for (topic of topics) {
    const writer = await Writer.open();
    for (const value of values) await writer.write(value);
    await writer.end('commit');
  }
  const partitions = topics.map((name) => ({ topicId: ids.get(name) ?? '', partition: 0, offset: 0 }));
  const options = { maxWaitMs: 1_000, minBytes: 1, maxBytes: 1_000_000, isolation: 'committed' } as const;
  const [first, second] = await until('both transactions are decided', async () => {
    const answers = await fetchPartitions(leader, partitions, options);
    return answers.every(({ fetched }) => fetched?.lastStableOffset === 7) ? answers : undefined;
  });
  expect(first?.fetched).toMatchObject({ next: 3, highWatermark: 7 });
  expect(second?.fetched).toMatchObject({ next: 0, records: [], highWatermark: 7 });

  topicId = partitions[0]?.topicId ?? '';
  const read: string[] = [];
  for (let offset = 0; offset < 7; ) {
    const { records, next } = await fetchFrom(offset, { maxBytes: 1_000_000 });
    expect(records.length).toBeLessThanOrEqual(3);
    read.push(...records.map(({ value }) => String(value)));
    offset = next;
  }
  expect(read).toEqual(values);
});

test('keeps records unchanged while the connection continues', async () => {
  const writer = await Writer.open();
  const values = Array.from({ length: 6 }, (_, n) => `${n}`.repeat(400_000));
  for (const value of values) await writer.write(value);
  await writer.end('commit');
  await readAll();
  // Each answer comes in several chunks of the socket, the later ones after the earlier ones.
  const fetched = await Promise.all(values.map((_, offset) => fetchFrom(offset, { maxBytes: 1 })));
  expect(fetched.flatMap(({ records }) => records.map(({ value }) => String(value)))).toEqual(values);
});

test.each([
  ['an offset beyond the end', { offset: 99 }, 'OFFSET_OUT_OF_RANGE'],
  ['a topic of another id', { topicId: randomUUID() }, 'UNKNOWN_TOPIC_ID'],
  ['a missing partition', { partition: 7 }, 'UNKNOWN_TOPIC_OR_PARTITION'],
])('rejects %s', async (_, over, apiId) => {
  const error = await fetchFrom(0, over).then(
    () => null,
    (thrown: Error) => thrown,
  );
  expect(error && findErrorBy(error, 'apiId', apiId)).not.toBeNull();
});
