import { fetchV16, findErrorBy, Reader, Writer } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { thrownBy } from '../../../../test/support/thrown-by.ts';
import { createRequest, parseResponse } from './fetch.ts';

const TOPIC_ID = '0193a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b';
const RECORDS = Buffer.from('the records');
const FETCH = 1;
const VERSION = 16;

const of = { topicId: TOPIC_ID, partition: 3, offset: 2 ** 33, maxWaitMs: 500, maxBytes: 1_048_576 };

type Answered = { errorCode?: number; partitionError?: number; leader?: boolean; topics?: number };

function response({ errorCode = 0, partitionError = 0, leader = false, topics = 1 }: Answered): Buffer {
  const partition = { partitionError, leader };
  return Writer.create()
    .appendInt32(0)
    .appendInt16(errorCode)
    .appendInt32(0)
    .appendArray(topics === 0 ? [] : [partition], (topic) => {
      topic.appendUUID(TOPIC_ID).appendArray([partition], writePartition, true, false);
    })
    .append(leader ? tags([7, Buffer.from('unknown')], [0, endpoints()]) : tags()).buffer;
}

function writePartition(to: Writer, { partitionError, leader }: { partitionError: number; leader: boolean }) {
  const diverging = Writer.create().appendInt32(3).appendInt64(41n).append(tags()).buffer;
  const current = Writer.create().appendInt32(5).appendInt32(12).append(tags()).buffer;
  to.appendInt32(3)
    .appendInt16(partitionError)
    .appendInt64(BigInt(2 ** 33 + 9))
    .appendInt64(BigInt(2 ** 33 + 8))
    .appendInt64(7n)
    .appendArray([BigInt(2 ** 33 + 1)], (one, first) => void one.appendInt64(4_000n).appendInt64(first))
    .appendInt32(-1)
    .appendBytes(RECORDS)
    .append(leader ? tags([0, diverging], [1, current]) : tags());
}

function endpoints(): Buffer {
  return Writer.create().appendArray([5], (to, id) => {
    to.appendInt32(id).appendString('broker-5').appendInt32(9_095).appendString(null);
  }).buffer;
}

function tags(...fields: readonly (readonly [number, Buffer])[]): Buffer {
  const writer = Writer.create().appendUnsignedVarInt(fields.length);
  for (const [tag, value] of fields)
    writer.appendUnsignedVarInt(tag).appendUnsignedVarInt(value.length).append(value);
  return writer.buffer;
}

function parse(bytes: Buffer | Writer) {
  return parseResponse(0, FETCH, VERSION, Reader.from(bytes)).partitions;
}

test.each([
  [{}, -1, -1],
  [{ currentLeaderEpoch: 4, lastFetchedEpoch: 3 }, 4, 3],
])('sends the same request as the library, without a session, with epochs %j', (epochs, current, last) => {
  const partition = {
    partition: 3,
    currentLeaderEpoch: current,
    fetchOffset: BigInt(2 ** 33),
    lastFetchedEpoch: last,
    partitionMaxBytes: 1_048_576,
  };
  const topics = [{ topicId: TOPIC_ID, partitions: [partition] }];
  const library = fetchV16.createRequest(500, 1, 1_048_576, 1, 0, -1, topics, [], '');
  const own = createRequest([{ ...of, ...epochs }], of).buffer;
  expect(own.toString('hex')).toBe(library.buffer.toString('hex'));
});

test('parses a response in two chunks, cut at any byte', () => {
  const bytes = response({ leader: true });
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const pieces = Writer.create().append(bytes.subarray(0, cut)).append(bytes.subarray(cut));
    expect(parse(pieces)).toEqual([
      {
        topicId: TOPIC_ID,
        partition: 3,
        error: null,
        highWatermark: 2 ** 33 + 9,
        lastStableOffset: 2 ** 33 + 8,
        diverging: { epoch: 3, endOffset: 41 },
        aborted: [{ producerId: 4_000n, firstOffset: 2 ** 33 + 1 }],
        bytes: RECORDS,
      },
    ]);
  }
});

test('returns a view of the records when the response came in one chunk', () => {
  const bytes = response({});
  expect(parse(bytes)[0]?.bytes.buffer).toBe(bytes.buffer);
});

test.each([
  [6, true, 'NOT_LEADER_OR_FOLLOWER'],
  [1, false, 'OFFSET_OUT_OF_RANGE'],
])('returns the error %i of a partition', (partitionError, leader, name) => {
  const error = parse(response({ partitionError, leader }))[0]?.error;
  expect(findErrorBy(error as Error, 'apiId', name)).not.toBeNull();
});

test('throws the error of the whole response', () => {
  const error = thrownBy(() => parse(response({ errorCode: 70, topics: 0 })));
  expect(findErrorBy(error as Error, 'apiId', 'FETCH_SESSION_ID_NOT_FOUND')).not.toBeNull();
});
