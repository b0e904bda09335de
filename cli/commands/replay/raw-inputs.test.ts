import { expect, onTestFinished, test } from 'vitest';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { onUnreadable } from '#topics/unreadable.ts';
import { rawInputs } from './raw-inputs.ts';

const RAW = codecOf('raw-messages');
const NORMALIZED = codecOf('normalized-messages');

function delivery(id: number): Buffer {
  const body = Buffer.from(JSON.stringify([incidentMessage({ id })]));
  return RAW.encode({ ...sampleOf('raw-messages'), origin: 'webhook', body });
}

const recordAt = (offset: number, value: Buffer | null): ReadRecord => ({
  partition: 3,
  offset,
  key: null,
  value,
  timestamp: 1_000 + offset,
});

test('leaves out a raw record that nobody can read, names it, and continues with the next one', async () => {
  const reported: string[] = [];
  onTestFinished(
    onUnreadable(({ topic, partition, offset }) => reported.push(`${topic}-${partition}, offset ${offset}`)),
  );
  const inputs = rawInputs({ topic: 'a.raw-messages', decoder: RAW, codec: NORMALIZED, partitions: 4 });
  const read = await inputs.of([
    recordAt(0, delivery(1)),
    recordAt(1, Buffer.from('no record')),
    recordAt(2, null),
    recordAt(3, delivery(2)),
  ]);
  const messages = await Promise.all(read.map(({ value }) => NORMALIZED.read(value as Buffer)));
  expect(messages.map(({ message_id }) => message_id)).toEqual(['1', '2']);
  expect(read.map(({ timestamp }) => timestamp)).toEqual([1_000, 1_003]);
  expect(inputs.unreadable).toBe(1);
  expect(reported).toEqual(['a.raw-messages-3, offset 1']);
});
