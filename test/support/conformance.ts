/**
 * The behaviour of a Kafka client that the task runtime relies on (libs/streams/client/port.ts). The same suite runs
 * with a real broker (test/integration/streams/conformance.test.ts) and with the simulated cluster
 * (test/simulation/conformance.test.ts).
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type {
  ConsumedRecord,
  GroupMember,
  OutputRecord,
  PartitionReader,
  ReaderOptions,
  StreamClient,
  TopicPartition,
  TransactionalProducer,
  WrittenBatch,
} from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';

/** The client to check, and operations on its cluster by another client. */
type ConformanceCluster = {
  /** Prefix of the names of topics, transactional ids and groups. */
  readonly prefix: string;
  openClient(): StreamClient;
  makeTopics(names: readonly string[], partitions: number): Promise<void>;
  recreateTopic(name: string, partitions: number): Promise<void>;
  /** Opens a transaction of another application with one record; it stays open for longer than a test takes. */
  leaveOpen(transactionalId: string, of: TopicPartition, value: string): Promise<{ abort(): Promise<void> }>;
};

const PARTITIONS = 4;

type JoinedMember = {
  member: GroupMember;
  assigned: (readonly number[])[];
  heartbeats: number;
  fenced: string | null;
};

const shareOf = ({ assigned }: JoinedMember): readonly number[] => assigned.at(-1) ?? [];

export function describeStreamClient(cluster: ConformanceCluster): void {
  let topic: string;
  let other: string;
  let id: string;
  let client: StreamClient;

  beforeEach(async () => {
    id = `${cluster.prefix}${randomUUID()}`;
    topic = `${id}-topic`;
    other = `${id}-other`;
    await cluster.makeTopics([topic, other], PARTITIONS);
    client = cluster.openClient();
    onTestFinished(() => client.close());
  });

  async function openProducer(transactionalId = id): Promise<TransactionalProducer> {
    const producer = await client.openProducer({
      transactionalId,
      own: [0, 1, 2, 3].map((partition) => ({ topic, partition })),
      shared: [0, 1, 2, 3].map((partition) => ({ topic: other, partition })),
    });
    onTestFinished(() => producer.close());
    return producer;
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

  /** Returns all records of a partition that can be read now. */
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

    test('fences the previous producer when it is opened: that one can no longer write', async () => {
      const old = await openProducer();
      await old.transact([record('before')]);
      const current = await openProducer();
      const refused = await old.transact([record('zombie')]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StreamError);
      expect(refused).toMatchObject({ code: 'FENCED' });
      await current.transact([record('after')]);
      expect(textOf(await readAll())).toEqual(['before', 'after']);
    });

    test('shows the last commit of the previous owner to each producer that is opened', async () => {
      let owner = await openProducer();
      for (let commit = 1; commit <= 20; commit += 1) {
        await owner.transact([record(String(commit)), record(String(commit), 3, other)]);
        owner = await openProducer();
        expect(textOf(await readAll()).at(-1)).toBe(String(commit));
      }
      expect(textOf(await readAll({ topic: other, partition: 3 }))).toHaveLength(20);
    });

    test('aborts an abandoned transaction when it is opened: its records are never read, and block no reader', async () => {
      await cluster.leaveOpen(id, { topic, partition: 0 }, 'abandoned');
      const owner = await openProducer();
      await owner.transact([record('next')]);
      expect(textOf(await readAll())).toEqual(['next']);
    });

    test('reports its partitions before it commits, and commits nothing when they are not accepted', async () => {
      const producer = await openProducer();
      const written: WrittenBatch[] = [];
      await producer.transact(
        [record('a'), record('b'), record('c', 1)],
        (batches) => void written.push(...batches),
      );
      expect(written.toSorted((a, b) => a.partition - b.partition)).toEqual([
        { topic, partition: 0, baseOffset: 0, count: 2 },
        { topic, partition: 1, baseOffset: 0, count: 1 },
      ]);
      const refuse = (): void => {
        throw new StreamError('REJECTED', 'as this test wants it');
      };
      await expect(producer.transact([record('refused')], refuse)).rejects.toMatchObject({
        code: 'REJECTED',
      });
      const next = await openProducer();
      await next.transact([record('after')]);
      expect(textOf(await readAll())).toEqual(['a', 'b', 'after']);
    });

    test('knows that its last transaction is decided', async () => {
      const producer = await openProducer();
      await expect(producer.requireDecided()).resolves.toBeUndefined();
      await producer.transact([record('a'), record('b', 3)]);
      await expect(producer.requireDecided()).resolves.toBeUndefined();
    });

    test('knows whether another producer was opened since', async () => {
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

    test('has a higher epoch than the previous producer', async () => {
      const [first, second] = [await openProducer(), await openProducer()];
      expect(second.identity.id).toBe(first.identity.id);
      expect(second.identity.epoch).toBeGreaterThan(first.identity.epoch);
    });
  });

  describe('partition reader', () => {
    test('returns the records after an offset, and the next offset', async () => {
      const producer = await openProducer();
      await producer.transact([record('a'), record('b'), record('c')]);
      const reader = openReader();
      const batch = await reader.read(1);
      expect(batch.records.map(({ offset, key, value }) => [offset, String(key), String(value)])).toEqual([
        [1, 'key', 'b'],
        [2, 'key', 'c'],
      ]);
      expect(batch.end).toBe(4);
      // After the marker of the transaction, which takes an offset too; a response may end before it.
      const last = batch.next === 4 ? batch : await reader.read(batch.next);
      expect(last.next).toBe(4);
    });

    test('waits for records, and returns none after its timeout', async () => {
      const reader = openReader();
      expect(await reader.read(0)).toEqual({ records: [], next: 0, end: 0, written: 0, epoch: null });
      const producer = await openProducer();
      const coming = openReader({ maxWaitMs: 10_000 }).read(0);
      await producer.transact([record('a')]);
      expect(textOf((await coming).records)).toEqual(['a']);
    });

    test('returns nothing of an open transaction', async () => {
      const transaction = await cluster.leaveOpen(`${id}-open`, { topic, partition: 0 }, 'open');
      expect(await openReader().read(0)).toEqual({ records: [], next: 0, end: 0, written: 1, epoch: null });
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
      await cluster.recreateTopic(topic, PARTITIONS);
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
      const transaction = await cluster.leaveOpen(`${id}-open`, { topic, partition: 1 }, 'open');
      expect(
        await client.logBounds([
          { topic, partition: 0 },
          { topic, partition: 1 },
          { topic: other, partition: 1 },
        ]),
      ).toMatchObject([
        { start: 0, end: 0 },
        { start: 0, end: 1 },
        { start: 0, end: 0 },
      ]);
      await transaction.abort();
    });

    test('the current leader epoch ends with the log; a future epoch has no end', async () => {
      const producer = await openProducer();
      await producer.transact([record('a'), record('b')]);
      const { epoch } = await openReader().read(0);
      expect(epoch).not.toBeNull();
      expect(await client.epochEnd({ topic, partition: 0 }, epoch as number)).toEqual({
        epoch,
        endOffset: 3,
      });
      expect(await client.epochEnd({ topic, partition: 0 }, (epoch as number) + 7)).toBeNull();
    });

    test('a topic that is created again has another id, a missing one none', async () => {
      const missing = `${topic}-missing`;
      const before = await client.topicIds([topic, missing]);
      expect([...before.keys()]).toEqual([topic]);
      expect(before.get(topic)).toBe(await client.openReader({ topic, partition: 0, maxBytes: 1 }).topicId());
      await cluster.recreateTopic(topic, PARTITIONS);
      expect((await client.topicIds([topic])).get(topic)).not.toBe(before.get(topic));
    });

    test('a missing topic has no partitions', async () => {
      expect(await client.partitionCount(topic)).toBe(PARTITIONS);
      expect(await client.partitionCount(`${topic}-missing`)).toBe(0);
    });
  });

  describe('group member', () => {
    async function join(instanceId?: string): Promise<JoinedMember> {
      const joined = { assigned: [], heartbeats: 0, fenced: null } as unknown as JoinedMember;
      joined.member = client.openGroupMember({
        group: id,
        topic,
        sessionTimeoutMs: 300_000,
        ...(instanceId === undefined ? {} : { instanceId }),
        listener: {
          onAssigned: (partitions) => void joined.assigned.push([...partitions]),
          onLost() {},
          onFenced: ({ code }) => {
            joined.fenced = code;
          },
          onHeartbeat: () => {
            joined.heartbeats += 1;
          },
        },
      });
      onTestFinished(() => joined.member.stop());
      await joined.member.start();
      return joined;
    }

    test('members share the partitions and keep their own; the last member gets all', async () => {
      const first = await join();
      await expect.poll(() => shareOf(first)).toHaveLength(PARTITIONS);
      const second = await join();
      await expect.poll(() => [shareOf(first).length, shareOf(second).length]).toEqual([2, 2]);
      expect([...shareOf(first), ...shareOf(second)].sort()).toEqual([0, 1, 2, 3]);
      const kept = shareOf(second);
      await first.member.stop();
      await expect.poll(() => shareOf(second)).toHaveLength(PARTITIONS);
      expect(shareOf(second)).toEqual(expect.arrayContaining([...kept]));
    });

    test('a member that restarts under its name has its partitions at once, and fences the previous one', async () => {
      const [first, second] = [await join('one'), await join('two')];
      await expect.poll(() => [shareOf(first).length, shareOf(second).length]).toEqual([2, 2]);
      const before = second.assigned.length;
      const again = await join('one');
      await expect.poll(() => again.assigned.length).toBeGreaterThan(0);
      expect(shareOf(again)).toEqual(shareOf(first));
      await expect.poll(() => first.fenced).not.toBeNull();
      expect(second.assigned).toHaveLength(before);
    });

    test('a member is confirmed by the group', async () => {
      const joined = await join();
      await expect.poll(() => shareOf(joined)).toHaveLength(PARTITIONS);
      const before = joined.heartbeats;
      await expect.poll(() => joined.heartbeats).toBeGreaterThan(before + 2);
    });
  });
}
