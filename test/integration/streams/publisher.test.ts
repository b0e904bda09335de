import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPublisher, type Publisher, type PublisherOptions } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { backbone } from '../../setup/backbone.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import { makeTopics } from '../../support/topics.ts';

const { brokers, prefix } = backbone();
const PARTITIONS = 8;
let topic: string;
const open: Publisher[] = [];

async function openOne(options: Partial<PublisherOptions> = {}): Promise<Publisher> {
  const publisher = await openPublisher({ brokers, clientId: 'publisher-test', log: quietLog, ...options });
  open.push(publisher);
  return publisher;
}

const readAll = () => readRecords(brokers, topic);

const texts = (records: readonly ReadRecord[]) => records.map(({ value }) => String(value)).sort();
const record = (key: string, value = key) => ({ topic, key, value: Buffer.from(value) });

beforeEach(async () => {
  topic = `${prefix}${randomUUID()}`;
  await makeTopics(brokers, [{ name: topic, partitions: PARTITIONS, replicationFactor: 1 }]);
});
afterEach(async () => {
  for (const publisher of open.splice(0)) await publisher.close();
});

// Across a crash of the broker: follow.test.ts.
describe('a publisher', () => {
  test('writes every record once before it resolves', async () => {
    const publisher = await openOne();
    const sets = Array.from({ length: 50 }, (_, set) => Array.from({ length: 20 }, (_, n) => `${set}-${n}`));
    await Promise.all(sets.map((set) => publisher.publish(set.map((key) => record(key)))));
    expect(texts(await readAll())).toEqual(sets.flat().sort());
    expect(publisher.queuedBytes).toBe(0);
  });

  test('puts records for any partition into one partition, and into another with the next request', async () => {
    const publisher = await openOne();
    const anywhere = (key: string) => ({ ...record(key), partition: 'any' as const });
    for (let request = 0; request < PARTITIONS; request++) {
      await Promise.all(['a', 'b', 'c'].map((key) => publisher.publish([anywhere(`${request}${key}`)])));
    }
    const byPartition = Map.groupBy(await readAll(), ({ partition }) => partition);
    expect(byPartition.size).toBe(PARTITIONS);
    for (const records of byPartition.values()) {
      const requests = new Set(records.map(({ key }) => String(key).at(0)));
      expect([records.length, requests.size]).toEqual([3, 1]);
    }
  });

  test('rejects a record without key and partition, and all records after its close', async () => {
    const publisher = await openOne();
    const nowhere = { topic, key: null, value: Buffer.from('x') };
    await expect(publisher.publish([nowhere])).rejects.toMatchObject({
      name: 'PublishError',
      code: 'NO_PARTITION',
    });
    const last = publisher.publish([record('last')]);
    await publisher.close();
    await last;
    await expect(publisher.publish([record('late')])).rejects.toMatchObject({ code: 'CLOSED' });
    expect(texts(await readAll())).toEqual(['last']);
  });

  test('times out for a missing topic, and becomes healthy again without records to send', async () => {
    const publisher = await openOne({ timeoutMs: 1_000 });
    const missing = { topic: `${topic}-missing`, key: 'a', value: null };
    // Counts ticks, as a clock continues while this process is suspended.
    let tenths = 0;
    const counting = setInterval(() => void tenths++, 100);
    await expect(publisher.publish([missing])).rejects.toMatchObject({ code: 'TIMEOUT' });
    clearInterval(counting);
    expect(tenths).toBeLessThan(30);
    expect(publisher.healthy).toBe(false);
    await until('it is healthy', async () => publisher.healthy || undefined);
    await publisher.publish([record('a'), { topic, key: 'gone', value: null }]);
    expect((await readAll()).map(({ value }) => value?.toString() ?? null).sort()).toEqual(['a', null]);
  });

  test('rejects its opening when no broker responds', async () => {
    const opening = openOne({ brokers: ['127.0.0.1:1'], openTimeoutMs: 500 });
    await expect(opening).rejects.toMatchObject({ name: 'PublishError', code: 'TIMEOUT' });
  });

  test('waits longer for a starting broker than for a record', async () => {
    const [host = '', port = ''] = brokers[0]?.split(':') ?? [];
    // Stands for a starting broker: cuts the first five connections, which are 100 ms apart.
    let refused = 0;
    const late = createServer((socket) => {
      if (refused++ < 5) return void socket.destroy();
      const onward = connect(Number(port), host);
      socket.on('error', () => onward.destroy()).pipe(onward);
      onward.on('error', () => socket.destroy()).pipe(socket);
    });
    onTestFinished(() => void late.close());
    await once(late.listen(0, '127.0.0.1'), 'listening');
    const at = `127.0.0.1:${(late.address() as AddressInfo).port}`;
    const publisher = await openOne({ brokers: [at], timeoutMs: 200 });
    expect(refused).toBeGreaterThan(5);
    expect(publisher.healthy).toBe(true);
  });
});
