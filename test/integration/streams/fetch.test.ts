/** Fetches of one partition (libs/streams/client/platformatic/fetch.ts) from a real broker. */

import { randomUUID } from 'node:crypto';
import {
  addPartitionsToTxnV3,
  type Connection,
  endTxnV3,
  findErrorBy,
  initProducerIdV4,
} from '@platformatic/kafka';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { topicIds } from '#cluster/logs.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { type Fetched, fetchPartition, type PartitionFetch } from '#streams/client/platformatic/fetch.ts';
import {
  batchesBytes,
  type Identity,
  nextSequence,
  produce,
  recordBytes,
} from '#streams/client/platformatic/produce.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import { backbone } from '../../setup/backbone.ts';
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
    const buffer = Buffer.alloc(batchesBytes(numbered));
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
    maxBytes: 1_048_576,
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

// For compressed, cut or large batches see libs/streams/client/platformatic/record-batches.test.ts.
test('hides the records of interleaved aborted transactions', async () => {
  const [a, b, c] = [await Writer.open(), await Writer.open(), await Writer.open()];
  await a.write('a1 aborted');
  await b.write('b1 aborted', 'b2 aborted');
  await c.write('c1');
  await a.write('a2 aborted');
  // Transactions end in another order than they began.
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
  // One batch per fetch, so that every fetch has its own list of aborted transactions.
  expect(await readAll({ maxBytes: 1 })).toEqual(['c1', 'b3', 'c2', 'a4']);
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
