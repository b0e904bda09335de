import { describe, expect, test } from 'vitest';
import { applyMessage, newMatch } from '#domain/match.ts';
import {
  causeOf,
  EVENT_ID,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import type { ConsumedRecord, FetchedRecord, OutputRecord, PartitionReader } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { type ComposerCodecs, ComposerPartition } from './composer-partition.ts';

const codecs: ComposerCodecs = {
  'match-transitions': codecOf('match-transitions'),
  'normalized-messages': codecOf('normalized-messages'),
  'webhook-messages': codecOf('webhook-messages'),
  'webhook-times': codecOf('webhook-times'),
};

/** Time of receipt of all messages, Unix milliseconds. */
const RECEIVED = incidentMessage(incident('5-1', 413)).received_at;

/** Creates a reader of a log in memory that begins at an offset and returns a few records at a time. */
function readerOf(messages: readonly NormalizedMessage[], start = 0): PartitionReader {
  const records = messages.map((message, offset): FetchedRecord => {
    return { offset, timestamp: 0, key: null, value: codecs['normalized-messages'].encode(message) };
  });
  return {
    topicId: async () => 'id',
    read: async (offset) => {
      if (offset < start) throw new StreamError('OFFSET_OUT_OF_RANGE', 'gone');
      const some = records.slice(offset, offset + 2);
      return {
        records: some,
        next: offset + some.length,
        end: records.length,
        written: records.length,
        epoch: null,
      };
    },
    close: async () => {},
  };
}

const HISTORY = [
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-2', 413, { ut: START + 1 })),
  snapshotMessage(START + 80, [incident('5-2', 413, { ut: START + 1 })]),
  snapshotMessage(START + 90, [incident('5-1', 413), incident('5-2', 413, { ut: START + 1 })]),
  incidentMessage(incident('5-1', 413, { ut: START + 20, confirmation: 'cancelled' })),
  incidentMessage(incident('5-1', 413, { ut: START + 99 })),
];

/** Returns the transitions of a history as records of their topic. */
function transitionsOf(history: readonly NormalizedMessage[]): ConsumedRecord[] {
  const match = newMatch(EVENT_ID);
  return history
    .flatMap((message, offset) => applyMessage(match, message, causeOf(message, offset)).transitions)
    .map((transition, offset) => ({
      offset,
      key: Buffer.from(String(EVENT_ID)),
      value: codecs['match-transitions'].encode(transition),
    }));
}

type Place = {
  readonly history?: readonly NormalizedMessage[];
  readonly start?: number;
  readonly now?: number;
};

function openPartition({ history = HISTORY, start = 0, now = RECEIVED }: Place = {}): ComposerPartition {
  return new ComposerPartition({
    codecs,
    topicName: (topic) => topic,
    causes: readerOf(history, start),
    now: () => now,
  });
}

async function processAll(
  partition: ComposerPartition,
  records: readonly ConsumedRecord[],
): Promise<OutputRecord[]> {
  const collector = new RecordCollector(0);
  for (const record of records) await partition.process(record, collector);
  return [...collector.records];
}

const shown = ({ topic, key, value }: OutputRecord) => [topic, String(key), value?.toString('hex') ?? null];

describe('a partition of the composer', () => {
  test('publishes a message for every accepted change, keyed by its event', async () => {
    const written = await processAll(openPartition(), transitionsOf(HISTORY));
    const messages = written.filter(({ topic }) => topic === 'webhook-messages');
    expect(messages.map(({ key }) => key)).toEqual(messages.map(() => String(EVENT_ID)));
    const decoded = await Promise.all(
      messages.map(async ({ value }) => codecs['webhook-messages'].decode(value as Buffer)),
    );
    expect(decoded.map(({ uuid }) => uuid.split(':').slice(1).join(':'))).toEqual([
      '1:0',
      '2:0',
      '3:0',
      '4:0',
      '5:0',
      '6:0',
    ]);
  });

  test('publishes the same after a restart at any record', async () => {
    const records = transitionsOf(HISTORY);
    const whole = await processAll(openPartition(), records);
    expect(whole.some(({ topic }) => topic === 'webhook-times')).toBe(true);
    for (let at = 0; at <= records.length; at++) {
      const before = await processAll(openPartition(), records.slice(0, at));
      const next = openPartition();
      const kept = before.filter(({ topic }) => topic === 'webhook-times');
      await next.restore(
        'webhook-times',
        kept.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value })),
      );
      const after = await processAll(next, records.slice(at));
      expect([...before, ...after].map(shown)).toEqual(whole.map(shown));
    }
  });

  test('refuses a transition whose cause is missing', async () => {
    const [first] = transitionsOf(HISTORY);
    const processing = processAll(openPartition({ start: 3 }), [first as ConsumedRecord]);
    await expect(processing).rejects.toMatchObject({ name: 'PoisonError', code: 'CAUSE_MISSING' });
  });

  test('composes nothing from input older than the retention of messages', async () => {
    const late = openPartition({ now: RECEIVED + 8 * 86_400_000, start: HISTORY.length });
    expect(await processAll(late, transitionsOf(HISTORY))).toEqual([]);
  });
});
