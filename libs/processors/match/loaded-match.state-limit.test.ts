import { describe, expect, test } from 'vitest';
import { NO_EVENT } from '#domain/event.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Incident, MatchState, NormalizedMessage } from '#records/types.ts';
import { INCIDENT } from '#soccer/soccer.ts';
import { MAX_BATCH_BYTES, recordBytes } from '#streams/client/platformatic/produce-request.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { MAX_DECISIVE, MAX_INCIDENTS, MAX_RECORD_BYTES, refusedMessage } from './loaded-match.ts';
import type { MatchPartition } from './match-partition.ts';
import { codecs, commitMessages, goal, lineOf, partitionOf } from './testing/partition.ts';

const KIB = 1024;

function changed(value: Buffer, change: (message: NormalizedMessage) => Partial<NormalizedMessage>): Buffer {
  const message = codecs['normalized-messages'].decode(value) as NormalizedMessage;
  return codecs['normalized-messages'].encode({ ...message, ...change(message) });
}

/** Returns a message of event 1 with an additional field. */
function withField(at: number, name: string, text: string): Buffer {
  return changed(goal(1, 110, at, false), ({ event }) => ({
    event: { ...(event ?? NO_EVENT), other: { [name]: JSON.stringify(text) } },
  }));
}

/** Returns a message with other fields of its incident. */
function withIncident(value: Buffer, fields: Partial<Incident>): Buffer {
  return changed(value, ({ incident }) => {
    const record = incident?.incident as Incident;
    return { incident: { deleted: false, incident: { ...record, ...fields } } };
  });
}

/** Returns a goal of event 1 whose incident has a body of this many bytes. */
const withBody = (at: number, bytes: number) =>
  withIncident(goal(1, 110, at, false), { other: { info: `"${'x'.repeat(bytes)}"` } });

/** Returns the code of the dead letter of each message, null if there is none; commits after each message. */
function codeOf(
  partition: MatchPartition,
  offset: number,
  value: Buffer,
  published: string[],
): string | null {
  const collector = new RecordCollector(0);
  let code: string | null = null;
  try {
    partition.process({ offset, key: null, value }, collector);
  } catch (error) {
    if (!(error instanceof PoisonError)) throw error;
    code = error.published;
  }
  partition.flush(collector);
  partition.committed();
  for (const record of collector.records) {
    expect(recordBytes(record)).toBeLessThan(MAX_BATCH_BYTES);
    published.push(lineOf(record));
  }
  return code;
}

describe('a message that would make a record of its match too large', () => {
  const before = [goal(1, 100, 0, false), goal(2, 100, 1, false)];
  const after = [goal(2, 110, 50, false), goal(1, 120, 60, false), goal(1, 110, 70, true)];

  test.each([
    [
      'six of 150 KiB that add up in the state',
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => withField(10 + at, name, 'x'.repeat(150 * KIB))),
      [null, null, null, null, null, 'state_too_large'],
    ],
    [
      'one of 400,000 characters of three bytes',
      [withField(10, 'name', '€'.repeat(400_000))],
      ['state_too_large'],
    ],
    ['one incident', [withBody(10, 900 * KIB)], ['state_too_large']],
    ['one that is just below', [withBody(10, 700 * KIB)], [null]],
  ])('%s: it becomes a dead letter, and the match has its mark alone', (_, messages, expected) => {
    const partition = partitionOf();
    const published: string[] = [];
    const all = [...before, ...messages, ...after];
    const codes = all.map((value, offset) => codeOf(partition, offset, value, published));
    expect(codes).toEqual([null, null, ...expected, null, null, null]);

    const whole = partitionOf();
    const marked: string[] = [];
    const refused = new PoisonError('STATE_TOO_LARGE', 'too large');
    all.forEach((value, offset) => {
      const mark = changed(value, (message) => refusedMessage(message, refused));
      codeOf(whole, offset, codes[offset] === null ? value : mark, marked);
    });
    expect(published).toEqual(marked);
  });

  test('counts uncommitted changes', () => {
    const partition = partitionOf();
    const collector = new RecordCollector(0);
    const text = 'x'.repeat(150 * KIB);
    for (const [offset, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      partition.process({ offset, key: null, value: withField(offset, name, text) }, collector);
    }
    const sixth = { offset: 5, key: null, value: withField(5, 'f', text) };
    expect(() => partition.process(sixth, collector)).toThrow(PoisonError);
    partition.flush(collector);
    expect(collector.records.filter(({ topic }) => topic === 'match-state')).toHaveLength(1);
  });

  test('counts a growing result, also of a match that was loaded again', () => {
    const codes = [{}, { maxLoadedBytes: 1 }].map((limits) => {
      const partition = partitionOf(limits);
      return Array.from({ length: 20 }, (_, at) => {
        const player = { subparticipant_id: at + 1, subparticipant_name: 'x'.repeat(60 * KIB) };
        return codeOf(partition, at, withIncident(goal(1, 110 + at, at, false), player), []);
      });
    });
    expect(codes[0]).toEqual([...Array(13).fill(null), ...Array(7).fill('state_too_large')]);
    expect(codes[1]).toEqual(codes[0]);
  });

  test('is found at the flush if the estimate misses it: the start of the timeline adds players to the result', () => {
    const partition = partitionOf();
    const collector = new RecordCollector(0);
    const name = 'x'.repeat(60 * KIB);
    // The start of the timeline is unknown, so that the result has no cards.
    for (let id = 110; id < 125; id++) {
      const player = { subparticipant_id: id, subparticipant_name: name };
      const value = withIncident(goal(1, id, id, false), { incident_id: INCIDENT.yellowCard, ...player });
      partition.process({ offset: id, key: null, value }, collector);
      partition.flush(collector);
    }
    partition.process({ offset: 200, key: null, value: goal(1, 100, 200, false) }, collector);
    expect(() => partition.flush(collector)).toThrow(
      expect.objectContaining({ code: 'STATE_TOO_LARGE', message: expect.stringContaining('match-results') }),
    );
  });
});

const POSSESSION = 9_999;

/** Returns a list of so many incidents of a match, the first of them goals. */
function listOf(eventId: number, count: number, goals: number, at: number): Buffer {
  return changed(goal(eventId, 110, at, false), ({ incident }) => {
    const record = incident?.incident as Incident;
    const snapshot = Array.from({ length: count }, (_, n) => ({
      ...record,
      id: `5-${10_000 + n}`,
      incident_id: n < goals ? record.incident_id : POSSESSION,
    }));
    return { type: 'incident_snapshot', incident: null, snapshot };
  });
}

/** Returns the last published state of match 1. */
function stateOf(published: readonly string[]): MatchState {
  const hex = published.findLast((line) => line.startsWith('match-state 1 '))?.split(' ')[2] ?? '';
  return codecs['match-state'].decode(Buffer.from(hex, 'hex'));
}

describe('a match with as many incidents as it may have', () => {
  test.each([
    ['a message of a further one', 10, goal(1, 110, 60, false)],
    ['a list that has one more', 10, listOf(1, MAX_INCIDENTS + 1, 10, 60)],
    ['a goal instead of another incident', MAX_DECISIVE, goal(1, 12_000, 60, false)],
  ])('refuses %s, closes its guard, and goes on with those it has', (_, goals, further) => {
    const partition = partitionOf();
    const published: string[] = [];
    const apply = (value: Buffer) => codeOf(partition, published.length, value, published);
    expect(apply(listOf(1, MAX_INCIDENTS, goals, 0))).toBeNull();
    expect(stateOf(published).guard.reasons).not.toContain('unread_message');
    expect(apply(further)).toBe('too_many_incidents');
    expect(stateOf(published)).toMatchObject({
      score: { home: goals, away: 0 },
      guard: { safe: false, reasons: expect.arrayContaining(['unread_message']) },
    });
    expect(apply(goal(1, 10_000, 70, false, 'cancelled'))).toBeNull();
    expect(stateOf(published).score).toEqual({ home: goals - 1, away: 0 });
  });

  test('costs a message at most ten times what one of 200 costs', () => {
    const partition = partitionOf();
    const costOf = (eventId: number, count: number, goals: number): number => {
      commitMessages(partition, 0, listOf(eventId, count, goals, 0));
      const times = Array.from({ length: 30 }, (_, n) => {
        const value = goal(eventId, 10_000, n + 1, false, n % 2 === 0 ? 'tbd' : 'confirmed');
        const started = performance.now();
        commitMessages(partition, n + 1, value);
        return performance.now() - started;
      });
      // The least: what else the machine does only adds.
      return Math.min(...times);
    };
    costOf(1, 200, 200);
    expect(costOf(2, MAX_INCIDENTS, MAX_DECISIVE) / costOf(3, 200, 200)).toBeLessThan(10);
  });
});

test('the limit leaves room for the overhead of runtime and broker', () => {
  expect(recordBytes({ key: '', value: Buffer.alloc(MAX_RECORD_BYTES) })).toBeLessThan(MAX_BATCH_BYTES);
});
