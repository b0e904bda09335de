import { describe, expect, test } from 'vitest';
import { normalizeMessage } from '#contract/normalize.ts';
import { RecordCollector } from '#streams/record-collector.ts';
import { avroType } from '#topics/avro.ts';
import { createCodec } from '#topics/codec.ts';
import { loadSchemas } from '#topics/schemas.ts';
import type { TopicName, TopicValues } from '#topics/topics.ts';
import { type MatchCodecs, MatchPartition } from './match-partition.ts';

const schemas = loadSchemas();

function codecOf<T extends TopicName>(topic: T) {
  const schema = schemas.topics.get(topic);
  if (schema === undefined) throw new Error(`no schema of ${topic}`);
  return createCodec<TopicValues[T]>(topic, avroType(schema), 1, async () => null);
}

const codecs: MatchCodecs = {
  'normalized-messages': codecOf('normalized-messages'),
  'match-incidents': codecOf('match-incidents'),
  'match-state': codecOf('match-state'),
  'match-transitions': codecOf('match-transitions'),
  'match-results': codecOf('match-results'),
};

const KEEP_MS = 900_000;
const START = 1_790_000_000;

/** A goal message, `at` seconds after the start; `over` says that the match has ended. */
function goal(
  eventId: number,
  id: number,
  at: number,
  over: boolean,
  confirmation = 'confirmed',
  group = 6,
): Buffer {
  const normalized = normalizeMessage(
    {
      id: eventId * 1_000 + at,
      type: 'incident',
      ut: START + at,
      data: {
        incident: {
          id: `5-${id}`,
          action: 'insert',
          incident_id: id === 100 ? 429 : 413,
          participant_id: 1,
          confirmation,
          event_time: '10:00',
          event_status_id: 33,
        },
        event: {
          id: eventId,
          competition_id: 4,
          season_id: 5,
          group_id: group,
          status_id: over ? 11 : 33,
          status_type: over ? 'finished' : 'live',
          participants: [
            { id: 1, counter: 1, results: [] },
            { id: 2, counter: 2, results: [] },
          ],
        },
      },
    },
    { origin: 'webhook', deliveryId: 'delivery', receivedAt: (START + at) * 1_000 },
  );
  if (normalized.kind !== 'normalized') throw new Error(JSON.stringify(normalized));
  return codecs['normalized-messages'].encode(normalized.message);
}

/** Feeds messages, a commit after each, and gives everything that was written. */
function run(
  keepSettledMs: number,
  messages: readonly Buffer[],
): { written: string[]; partition: MatchPartition } {
  const partition = new MatchPartition({ partition: 0, codecs, topicName: (topic) => topic, keepSettledMs });
  const written = messages.flatMap((value, offset) => {
    const collector = new RecordCollector(0);
    partition.process({ offset, key: null, value }, collector);
    partition.flush(collector);
    partition.committed();
    return collector.records.map(({ topic, key, value }) => `${topic} ${key} ${value?.toString('hex')}`);
  });
  return { written, partition };
}

describe('a match that is over', () => {
  const messages = [
    goal(1, 100, 0, false),
    goal(1, 110, 60, false),
    goal(1, 120, 120, true),
    // Hours of another match: the first one is put away.
    goal(2, 100, 4_000, false),
    goal(2, 110, 8_000, false),
    // A late correction of the first.
    goal(1, 120, 9_000, true, 'cancelled'),
    goal(2, 120, 12_000, false),
  ];

  test('leaves memory after its time and comes back whole for a late message: the same bytes are written', () => {
    const kept = run(Number.MAX_SAFE_INTEGER, messages);
    const putAway = run(KEEP_MS, messages);
    expect(putAway.written).toEqual(kept.written);
    expect(putAway.partition.hotSize()).toBe(1);
    expect(kept.partition.hotSize()).toBe(2);
    expect(putAway.partition.size()).toBe(2);
  });
});

test('what is written is all that a new owner needs to go on with the same bytes', () => {
  const messages = [
    goal(1, 100, 0, false),
    goal(1, 110, 60, false, 'tbd'),
    goal(1, 110, 90, false),
    goal(1, 120, 120, false),
  ];
  const whole = run(KEEP_MS, messages).written;
  const first = new MatchPartition({
    partition: 0,
    codecs,
    topicName: (topic) => topic,
    keepSettledMs: KEEP_MS,
  });
  const second = new MatchPartition({
    partition: 0,
    codecs,
    topicName: (topic) => topic,
    keepSettledMs: KEEP_MS,
  });
  const written: string[] = [];
  messages.forEach((value, offset) => {
    const collector = new RecordCollector(0);
    const owner = offset < 2 ? first : second;
    owner.process({ offset, key: null, value }, collector);
    owner.flush(collector);
    owner.committed();
    for (const record of collector.records) {
      if (record.topic === 'match-results') continue;
      written.push(`${record.topic} ${record.key} ${record.value?.toString('hex')}`);
      if (owner === first && (record.topic === 'match-incidents' || record.topic === 'match-state')) {
        second.restore(record.topic, [{ offset: 0, key: Buffer.from(record.key), value: record.value }]);
      }
    }
  });
  expect(written).toEqual(whole.filter((line) => !line.startsWith('match-results ')));
});

type Told = [key: string, version: number, removed: boolean, home: number | null];

function results(lines: readonly string[]): Told[] {
  return lines
    .filter((line) => line.startsWith('match-results '))
    .map((line) => {
      const [, key = '', hex = ''] = line.split(' ');
      const value = codecs['match-results'].decode(Buffer.from(hex, 'hex')) as TopicValues['match-results'];
      return [key, value.version, value.removed, value.score?.home ?? null];
    });
}

test('tables are told of what changes for them alone, and in the old group that a match has left', () => {
  const { written } = run(KEEP_MS, [
    goal(1, 100, 0, false),
    goal(1, 110, 60, false),
    // The same goal again, later.
    goal(1, 110, 90, false),
    goal(1, 120, 120, true, 'confirmed', 7),
  ]);
  expect(results(written)).toEqual([
    ['4/5/-/6/1', 1, false, 0],
    ['4/5/-/6/1', 2, false, 1],
    ['4/5/-/6/1', 4, true, null],
    ['4/5/-/7/1', 4, false, 2],
  ]);
});

test('a new owner tells tables once of every match that it meets, and from then on what changes', () => {
  const before = run(KEEP_MS, [goal(1, 100, 0, false), goal(1, 110, 60, false)]);
  const after = new MatchPartition({
    partition: 0,
    codecs,
    topicName: (topic) => topic,
    keepSettledMs: KEEP_MS,
  });
  for (const line of before.written) {
    const [topic = '', key = '', hex = ''] = line.split(' ');
    if (topic !== 'match-state' && topic !== 'match-incidents') continue;
    after.restore(topic, [{ offset: 0, key: Buffer.from(key), value: Buffer.from(hex, 'hex') }]);
  }
  const collector = new RecordCollector(0);
  for (const [offset, at] of [90, 91, 92].entries()) {
    after.process({ offset, key: null, value: goal(1, 110, at, false) }, collector);
    after.flush(collector);
    after.committed();
  }
  const lines = collector.records.map(({ topic, key, value }) => `${topic} ${key} ${value?.toString('hex')}`);
  expect(results(lines)).toEqual([['4/5/-/6/1', 3, false, 1]]);
});
