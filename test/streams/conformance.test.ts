/**
 * What the task runtime relies on in a Kafka client (libs/streams/port.ts), against a real broker.
 * To put another client under it, give `openClient` that one.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openStreamClient } from '#streams/client.ts';
import { StreamError } from '#streams/errors.ts';
import { createKafka } from '#streams/kafkajs/kafka.ts';
import type {
  ConsumedRecord,
  GroupConsumer,
  GroupListener,
  OutputRecord,
  StreamClient,
  TransactionalProducer,
} from '#streams/port.ts';
import { backbone } from '../setup/backbone.ts';
import { quietLog } from '../support/log.ts';
import { untilTrue } from '../support/poll.ts';
import { makeTopics } from '../support/topics.ts';

const { brokers, prefix } = backbone();
const openClient = (): StreamClient => openStreamClient({ brokers, clientId: 'conformance', log: quietLog });
const kafka = createKafka({ brokers, clientId: 'conformance-setup', log: quietLog });

const PARTITIONS = 4;
let input: string;
let changelog: string;
let group: string;
const cleanups: (() => Promise<void>)[] = [];
const client = openClient();

beforeAll(() => {
  expect(brokers.length).toBeGreaterThan(0);
});

beforeEach(async () => {
  const id = randomUUID();
  input = `${prefix}input-${id}`;
  changelog = `${prefix}changelog-${id}`;
  group = `${prefix}group-${id}`;
  await makeTopics(
    brokers,
    [input, changelog].map((topic) => ({ topic, numPartitions: PARTITIONS, replicationFactor: 1 })),
  );
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openProducer(id: string): Promise<TransactionalProducer> {
  const producer = await client.openTransactionalProducer(id);
  cleanups.push(() => producer.close());
  return producer;
}

function record(value: string, partition = 0, topic = changelog): OutputRecord {
  return { topic, partition, key: 'key', value: Buffer.from(value) };
}

type Member = {
  consumer: GroupConsumer;
  assigned: (readonly number[])[];
  records: { topic: string; partition: number; record: ConsumedRecord }[];
};

/** A member that seeks to the start and resumes everything it is given. */
async function join(onRecords?: GroupListener['onRecords'], seekTo = 0): Promise<Member> {
  const member: Omit<Member, 'consumer'> = { assigned: [], records: [] };
  const listener: GroupListener = {
    onAssigned(partitions) {
      member.assigned.push([...partitions]);
      for (const topic of [input, changelog]) {
        for (const partition of partitions) {
          consumer.seek({ topic, partition }, seekTo);
          consumer.resume({ topic, partition });
        }
      }
    },
    onLost() {},
    onHeartbeat() {},
    async onRecords(from, records, end, stillHere) {
      member.records.push(...records.map((record) => ({ ...from, record })));
      await onRecords?.(from, records, end, stillHere);
    },
  };
  const consumer = client.openGroupConsumer({
    group,
    input,
    changelogs: [changelog],
    // No test is about its end: a member that begins anew is given everything again.
    sessionTimeoutMs: 300_000,
    listener,
  });
  cleanups.push(() => consumer.stop());
  await consumer.start();
  return { consumer, ...member };
}

const values = (member: Member) => member.records.map(({ record }) => record.value?.toString());

describe('transactional producer', () => {
  test('a transaction writes all its records and the position, and tells the last offset of each partition', async () => {
    const producer = await openProducer(group);
    const written = await producer.transact(
      [record('a'), record('b'), record('c', 1), record('d', 2, input)],
      { group, topic: input, partition: 3, next: 7 },
    );
    expect(Object.fromEntries(written)).toEqual({
      [`${changelog}-0`]: 1,
      [`${changelog}-1`]: 0,
      [`${input}-2`]: 0,
    });
    // Known for certain to whoever has opened it since.
    await openProducer(group);
    expect(await client.committedOffset(group, { topic: input, partition: 3 })).toBe(7);
    expect(await client.committedOffset(group, { topic: input, partition: 2 })).toBeNull();
    const member = await join();
    await untilTrue('four records are read', () => member.records.length === 4);
    expect(values(member).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the end of a partition is told without the end of the transaction, which is nothing to read', async () => {
    const producer = await openProducer(group);
    await producer.transact([record('a'), record('b')], null);
    await producer.transact([record('c')], null);
    const ends: [last: number | undefined, end: number][] = [];
    await join(async (_from, records, end) => {
      ends.push([records.at(-1)?.offset, end]);
    });
    // Offset 2 and 4 are the ends of the two transactions.
    await untilTrue('the last record is read', () => ends.some(([last]) => last === 3));
    expect(ends.at(-1)).toEqual([3, 4]);
  });

  test('a transaction of more than a batch takes is split, order kept', async () => {
    const producer = await openProducer(group);
    const filler = 'x'.repeat(100_000);
    const many = Array.from({ length: 40 }, (_, at) => record(`${at}:${filler}`));
    await producer.transact(many, null);
    const member = await join();
    await untilTrue('all are read', () => member.records.length === many.length);
    expect(values(member).map((value) => Number(value?.split(':')[0]))).toEqual(many.map((_, at) => at));
  });

  test('many transactions one right after the other all commit', async () => {
    const producer = await openProducer(group);
    for (let next = 1; next <= 50; next += 1) {
      await producer.transact(next % 2 === 0 ? [record(String(next))] : [], {
        group,
        topic: input,
        partition: 0,
        next,
      });
    }
    await openProducer(group);
    expect(await client.committedOffset(group, { topic: input, partition: 0 })).toBe(50);
  });

  test('whoever has opened it anew is told the position of the last transaction, however soon', async () => {
    const told = await Promise.all(
      Array.from({ length: PARTITIONS }, async (_, partition) => {
        const positions: (number | null)[] = [];
        for (let next = 1; next <= 10; next += 1) {
          const producer = await openProducer(`${group}-${partition}`);
          positions.push(await client.committedOffset(group, { topic: input, partition }));
          await producer.transact([record('a', partition)], { group, topic: input, partition, next });
        }
        return positions;
      }),
    );
    expect(told).toEqual(told.map(() => [null, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  test('opening it fences the one before: that one writes nothing more, neither records nor position', async () => {
    const old = await openProducer(group);
    await old.transact([record('before')], { group, topic: input, partition: 0, next: 1 });
    const current = await openProducer(group);
    const refused = await old
      .transact([record('zombie')], { group, topic: input, partition: 0, next: 99 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StreamError);
    expect(refused).toMatchObject({ code: 'FENCED' });
    await current.transact([record('after')], null);
    expect(await client.committedOffset(group, { topic: input, partition: 0 })).toBe(1);
    const member = await join();
    await untilTrue('the last record is read', () => values(member).includes('after'));
    expect(values(member)).toEqual(['before', 'after']);
  });

  test('opening it settles an abandoned transaction: its records are never read, and nobody waits for it', async () => {
    const abandoned = kafka.producer({
      transactionalId: group,
      idempotent: true,
      maxInFlightRequests: 1,
      // Longer than anybody waits here: the broker does not end it in time.
      transactionTimeout: 900_000,
    });
    await abandoned.connect();
    cleanups.push(() => abandoned.disconnect());
    const transaction = await abandoned.transaction();
    await transaction.send({
      topic: changelog,
      messages: [{ partition: 0, key: 'key', value: 'abandoned' }],
    });
    await transaction.sendOffsets({
      consumerGroupId: group,
      topics: [{ topic: input, partitions: [{ partition: 0, offset: '42' }] }],
    });

    const owner = await openProducer(group);
    expect(await client.committedOffset(group, { topic: input, partition: 0 })).toBeNull();
    await owner.transact([record('barrier')], null);
    const member = await join();
    await untilTrue('the barrier is read', () => values(member).includes('barrier'));
    expect(values(member)).toEqual(['barrier']);
  });

  test('a record that is too large is refused as such', async () => {
    const producer = await openProducer(group);
    await expect(producer.transact([record('x'.repeat(2_000_000))], null)).rejects.toMatchObject({
      code: 'RECORD_TOO_LARGE',
    });
  });
});

describe('group consumer', () => {
  async function fill(count: number): Promise<void> {
    const producer = await openProducer(`${group}-fill`);
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      await producer.transact(
        Array.from({ length: count }, (_, at) => record(`${partition}:${at}`, partition, input)),
        null,
      );
    }
  }

  test('members share the partitions, the same ones of input and changelog; the last one gets all', async () => {
    const first = await join();
    await untilTrue('the first has all', () => first.assigned.at(-1)?.length === PARTITIONS);
    const second = await join();
    await untilTrue(
      'they share',
      () => first.assigned.at(-1)?.length === 2 && second.assigned.at(-1)?.length === 2,
    );
    expect([...(first.assigned.at(-1) ?? []), ...(second.assigned.at(-1) ?? [])].sort()).toEqual([
      0, 1, 2, 3,
    ]);

    const producer = await openProducer(`${group}-fill`);
    for (const partition of [0, 1, 2, 3]) {
      await producer.transact([record('in', partition, input), record('log', partition)], null);
    }
    for (const member of [first, second]) {
      const partitions = member.assigned.at(-1) ?? [];
      // A member that is assigned anew starts over: what it was given may come twice, and never of another partition.
      const given = (topic: string) =>
        [
          ...new Set(
            member.records.filter((entry) => entry.topic === topic).map(({ partition }) => partition),
          ),
        ].sort();
      await untilTrue('its records', () => given(input).length + given(changelog).length >= 4);
      for (const topic of [input, changelog]) expect(given(topic)).toEqual([...partitions].sort());
    }
    await first.consumer.stop();
    await untilTrue('the second has all', () => second.assigned.at(-1)?.length === PARTITIONS);
  });

  test('handlers of a partition run one at a time, of several at once; records come in order', async () => {
    await fill(3_000);
    const running = new Map<number, number>();
    let most = 0;
    let overlapping = 0;
    const member = await join(async ({ partition }) => {
      running.set(partition, (running.get(partition) ?? 0) + 1);
      overlapping = Math.max(overlapping, running.get(partition) ?? 0);
      most = Math.max(most, [...running.values()].filter((count) => count > 0).length);
      await new Promise(setImmediate);
      running.set(partition, (running.get(partition) ?? 0) - 1);
    });
    await untilTrue('all are read', () => member.records.length === 3_000 * PARTITIONS);
    expect(overlapping).toBe(1);
    expect(most).toBeGreaterThan(1);
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const offsets = member.records
        .filter((entry) => entry.partition === partition)
        .map((entry) => entry.record.offset);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  });

  test('a paused partition gives nothing, a seek decides what comes next', async () => {
    await fill(10);
    const member = await join();
    await untilTrue('all are read', () => member.records.length === 10 * PARTITIONS);
    member.consumer.pause({ topic: input, partition: 0 });
    member.consumer.seek({ topic: input, partition: 0 }, 4);
    member.consumer.seek({ topic: input, partition: 1 }, 8);
    await untilTrue('partition 1 again from 8', () => member.records.length === 10 * PARTITIONS + 2);
    expect(member.records.slice(-2).map(({ partition, record: { offset } }) => [partition, offset])).toEqual([
      [1, 8],
      [1, 9],
    ]);
    member.consumer.resume({ topic: input, partition: 0 });
    await untilTrue('partition 0 again from 4', () => member.records.length === 10 * PARTITIONS + 8);
    expect(member.records.slice(-6).map(({ record: { offset } }) => offset)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  test('a handler that fails does not end the consumer', async () => {
    await fill(1);
    let failed = 0;
    const member = await join(async () => {
      failed += 1;
      throw new Error('expected by this test');
    });
    await untilTrue('each partition was given', () => failed === PARTITIONS);
    const producer = await openProducer(`${group}-more`);
    await producer.transact([record('later', 2, input)], null);
    await untilTrue('later records come', () => values(member).includes('later'));
  });
});
