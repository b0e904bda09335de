/**
 * What the task runtime relies on in a Kafka client (libs/streams/client/port.ts), against a real broker. To check another
 * client, return it from `openClient`.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import type {
  ConsumedRecord,
  GroupMember,
  OutputRecord,
  PartitionReader,
  ReaderOptions,
  StreamClient,
  TransactionalProducer,
} from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { backbone } from '../../setup/backbone.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics, recreateTopic } from '../../support/topics.ts';

const { brokers, prefix } = backbone();
const openClient = (): StreamClient => openStreamClient({ brokers, clientId: 'conformance', log: quietLog });
const kafka = createKafka({ brokers, clientId: 'conformance-setup' });

const PARTITIONS = 4;
let topic: string;
let other: string;
let id: string;
let client: StreamClient;

beforeEach(async () => {
  id = `${prefix}${randomUUID()}`;
  topic = `${id}-topic`;
  other = `${id}-other`;
  await makeTopics(
    brokers,
    [topic, other].map((name) => ({ topic: name, numPartitions: PARTITIONS, replicationFactor: 1 })),
  );
  client = openClient();
  onTestFinished(() => client.close());
});

async function openProducer(transactionalId = id): Promise<TransactionalProducer> {
  const producer = await client.openProducer({
    transactionalId,
    own: [0, 1, 2, 3].map((partition) => ({ topic, partition })),
    shared: [0, 1, 2, 3].map((partition) => ({ topic: other, partition })),
    lastCommitted: async () => null,
  });
  onTestFinished(() => producer.close());
  return producer;
}

/** A transaction of another application, left open. */
async function beginTransaction(transactionalId: string) {
  const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer.transaction();
}

function openReader(options: Partial<ReaderOptions> = {}): PartitionReader {
  const reader = client.openReader({
    topic,
    partition: 0,
    maxBytes: 1_000_000,
    maxWaitMs: 100,
    ...options,
  });
  onTestFinished(() => reader.close());
  return reader;
}

/** All records of a partition that can be read now. */
async function readAll(options: Partial<ReaderOptions> = {}): Promise<ConsumedRecord[]> {
  const reader = openReader(options);
  const of = { topic: options.topic ?? topic, partition: options.partition ?? 0 };
  const [bounds] = await client.logBounds([of]);
  const records: ConsumedRecord[] = [];
  for (let at = bounds?.start ?? 0; at < (bounds?.end ?? 0); ) {
    const batch = await reader.read(at);
    if (batch.next === at) break;
    records.push(...batch.records);
    at = batch.next;
  }
  return records;
}

function record(value: string, partition = 0, of = topic): OutputRecord {
  return { topic: of, partition, key: 'key', value: Buffer.from(value) };
}

const textOf = (records: readonly ConsumedRecord[]): string[] => records.map(({ value }) => String(value));

describe('transactional producer', () => {
  test('writes all records of a transaction', async () => {
    const producer = await openProducer();
    await producer.transact([record('a'), record('b'), record('c', 1), record('d', 2, other)]);
    expect(textOf(await readAll())).toEqual(['a', 'b']);
    expect(textOf(await readAll({ partition: 1 }))).toEqual(['c']);
    expect(textOf(await readAll({ topic: other, partition: 2 }))).toEqual(['d']);
  });

  test('splits a transaction larger than a record batch, and keeps its order', async () => {
    const producer = await openProducer();
    const filler = 'x'.repeat(100_000);
    await producer.transact(Array.from({ length: 40 }, (_, at) => record(`${at}:${filler}`)));
    const read = textOf(await readAll());
    expect(read.map((value) => Number(value.split(':')[0]))).toEqual(
      Array.from({ length: 40 }, (_, at) => at),
    );
  });

  test('commits many transactions in quick succession', async () => {
    const producer = await openProducer();
    for (let at = 0; at < 50; at += 1)
      await producer.transact([record(String(at), at % 2), record('x', 0, other)]);
    expect(await readAll()).toHaveLength(25);
    expect(await readAll({ topic: other })).toHaveLength(50);
  });

  test('fences the previous one when it is opened, which can write nothing more', async () => {
    const old = await openProducer();
    await old.transact([record('before')]);
    const current = await openProducer();
    const refused = await old.transact([record('zombie')]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StreamError);
    expect(refused).toMatchObject({ code: 'FENCED' });
    await current.transact([record('after')]);
    expect(textOf(await readAll())).toEqual(['before', 'after']);
  });

  test('aborts an abandoned transaction when it is opened: its records are never read, and block no reader', async () => {
    const abandoned = kafka.producer({
      transactionalId: id,
      idempotent: true,
      maxInFlightRequests: 1,
      // Longer than this test waits: the broker does not end it in time.
      transactionTimeout: 900_000,
    });
    await abandoned.connect();
    onTestFinished(() => abandoned.disconnect());
    const transaction = await abandoned.transaction();
    await transaction.send({ topic, messages: [{ partition: 0, key: 'key', value: 'abandoned' }] });

    const owner = await openProducer();
    await owner.transact([record('next')]);
    expect(textOf(await readAll())).toEqual(['next']);
    expect(textOf(await readAll({ uncommitted: true }))).toEqual(['abandoned', 'next']);
  });

  test('knows whether another one was opened since', async () => {
    const old = await openProducer();
    await old.transact([record('before')]);
    await expect(old.requireCurrent()).resolves.toBeUndefined();
    const current = await openProducer();
    await expect(old.requireCurrent()).rejects.toMatchObject({ code: 'FENCED' });
    await expect(current.requireCurrent()).resolves.toBeUndefined();
  });

  test('rejects a record that is too large with its own code', async () => {
    const producer = await openProducer();
    await expect(producer.transact([record('x'.repeat(2_000_000))])).rejects.toMatchObject({
      code: 'RECORD_TOO_LARGE',
    });
  });

  test('has an epoch above that of the previous one', async () => {
    const [first, second] = [await openProducer(), await openProducer()];
    expect(second.identity.id).toBe(first.identity.id);
    expect(second.identity.epoch).toBeGreaterThan(first.identity.epoch);
  });
});

describe('partition reader', () => {
  test('returns records from an offset on, and the next offset', async () => {
    const producer = await openProducer();
    await producer.transact([record('a'), record('b'), record('c')]);
    const batch = await openReader().read(1);
    expect(batch.records.map(({ offset, key, value }) => [offset, String(key), String(value)])).toEqual([
      [1, 'key', 'b'],
      [2, 'key', 'c'],
    ]);
    // Behind the end of the transaction, which takes an offset too.
    expect(batch.next).toBe(4);
    expect(batch.end).toBe(4);
  });

  test('waits for records, and returns none after a while', async () => {
    const reader = openReader();
    expect(await reader.read(0)).toEqual({ records: [], next: 0, end: 0, written: 0, epoch: null });
    const producer = await openProducer();
    const coming = openReader({ maxWaitMs: 10_000 }).read(0);
    await producer.transact([record('a')]);
    expect(textOf((await coming).records)).toEqual(['a']);
  });

  test('returns nothing of an open transaction, unless it reads uncommitted records', async () => {
    const transaction = await beginTransaction(`${id}-open`);
    await transaction.send({ topic, messages: [{ partition: 0, value: 'open' }] });
    expect(await openReader().read(0)).toEqual({ records: [], next: 0, end: 0, written: 1, epoch: null });
    expect(textOf((await openReader({ uncommitted: true }).read(0)).records)).toEqual(['open']);
    await transaction.abort();
  });

  test('rejects an offset that is not in the log', async () => {
    await expect(openReader().read(7)).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' });
  });

  test('detects that its topic was deleted and created again', async () => {
    const producer = await openProducer();
    await producer.transact([record('a')]);
    const reader = openReader();
    const first = await reader.topicId();
    await reader.read(0);
    await recreateTopic(brokers, { topic, numPartitions: PARTITIONS, replicationFactor: 1 });
    await expect(
      (async () => {
        for (;;) await reader.read(0);
      })(),
    ).rejects.toMatchObject({ code: 'TOPIC_RECREATED' });
    expect(await openReader().topicId()).not.toBe(first);
  });

  test('ends a pending read when it is closed', async () => {
    const reader = openReader({ maxWaitMs: 60_000 });
    await reader.topicId();
    const reading = reader.read(0);
    const ended = expect(reading).rejects.toBeInstanceOf(StreamError);
    await reader.close();
    await ended;
  });
});

describe('offsets and topics', () => {
  test('the end includes records of an open transaction', async () => {
    const transaction = await beginTransaction(`${id}-open`);
    await transaction.send({ topic, messages: [{ partition: 1, value: 'open' }] });
    expect(
      await client.logBounds([
        { topic, partition: 0 },
        { topic, partition: 1 },
        { topic: other, partition: 1 },
      ]),
    ).toEqual([
      { start: 0, end: 0 },
      { start: 0, end: 1 },
      { start: 0, end: 0 },
    ]);
    await transaction.abort();
  });

  test('a missing topic has no partitions', async () => {
    expect(await client.partitionCount(topic)).toBe(PARTITIONS);
    expect(await client.partitionCount(`${topic}-missing`)).toBe(0);
  });
});

describe('group member', () => {
  type Member = { member: GroupMember; assigned: (readonly number[])[]; heartbeats: number };

  async function join(): Promise<Member> {
    const joined: Member = { assigned: [], heartbeats: 0 } as unknown as Member;
    joined.member = client.openGroupMember({
      group: id,
      topic,
      sessionTimeoutMs: 300_000,
      listener: {
        onAssigned: (partitions) => void joined.assigned.push([...partitions]),
        onLost() {},
        onFenced() {},
        onHeartbeat: () => {
          joined.heartbeats += 1;
        },
      },
    });
    onTestFinished(() => joined.member.stop());
    await joined.member.start();
    return joined;
  }

  const shareOf = ({ assigned }: Member): readonly number[] => assigned.at(-1) ?? [];

  test('members share the partitions and keep their own; the last member gets all', async () => {
    const first = await join();
    await untilTrue('the first has all', () => shareOf(first).length === PARTITIONS);
    const second = await join();
    await untilTrue('they share', () => shareOf(first).length === 2 && shareOf(second).length === 2);
    expect([...shareOf(first), ...shareOf(second)].sort()).toEqual([0, 1, 2, 3]);
    const kept = shareOf(second);
    await first.member.stop();
    await untilTrue('the second has all', () => shareOf(second).length === PARTITIONS);
    expect(shareOf(second)).toEqual(expect.arrayContaining([...kept]));
  });

  test('a member learns that the group confirms it, and commits offsets for tools', async () => {
    const joined = await join();
    await untilTrue('it has all', () => shareOf(joined).length === PARTITIONS);
    const before = joined.heartbeats;
    await untilTrue('heartbeats are answered', () => joined.heartbeats > before + 2);
    await joined.member.commit(new Map([[2, 7]]));
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    const [offsets] = await admin.fetchOffsets({ groupId: id, topics: [topic] });
    expect(offsets?.partitions.find(({ partition }) => partition === 2)?.offset).toBe('7');
  });
});
