import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { FeedView } from './feed.ts';
import { INDEXES, SCHEMA } from './schema.ts';
import { Statements } from './sql.ts';

const UT = 1_790_000_000;
const DAY = 86_400;
const MESSAGES = rounds(150_000);
const MAX_HELD_MS = 50;
/** A busy machine lengthens a turn now and then; a read that blocks the loop does so each time. */
const ATTEMPTS = 3;

const ROW = { incident: 1, important: 0, for_trader: 1, competition_id: 1 } as const;
const SAMPLE = sampleOf('normalized-messages');

function newDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  return database;
}

/** Returns a feed with the messages of a day of 100 matches. */
function dayOfMessages(): FeedView {
  const database = newDatabase();
  const feed = new FeedView(new Statements(database));
  database.exec('BEGIN');
  for (let at = 0; at < MESSAGES; at++) {
    const ut = UT + Math.floor((at * DAY) / MESSAGES);
    const message = { ...SAMPLE, event_id: at % 100, ut, received_at: ut * 1_000 };
    const json = `{"id":${at},"text":"${'x'.repeat(300)}"}`;
    feed.put(message, { ...ROW, json }, { partition: at % 100, offset: at, changed: ut });
  }
  database.exec('COMMIT');
  for (const index of INDEXES) database.exec(index);
  return feed;
}

test('orders a message after the stored ones of its partition following a restart, whatever its time', async () => {
  const database = newDatabase();
  const put = (offset: number, received_at: number): FeedView => {
    const feed = new FeedView(new Statements(database));
    const message = { ...SAMPLE, event_id: 1, received_at };
    feed.put(message, { ...ROW, json: `${offset}` }, { partition: 0, offset, changed: UT });
    return feed;
  };
  put(1, 9_000);
  put(2, 5_000);
  const found = await put(3, 7_000).ofEvent(1);
  let texts = '';
  for await (const text of found.data) texts += text;
  expect(texts).toBe('[3,2,1]');
});

/** Starts to measure turns of the event loop. Returns a function that returns the longest one in CPU time, milliseconds. */
function longestTurn(): () => number {
  let longest = 0;
  let last = process.threadCpuUsage();
  let handle = setImmediate(function turn() {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user - last.user + now.system - last.system);
    last = now;
    handle = setImmediate(turn);
  });
  return () => {
    clearImmediate(handle);
    return longest / 1_000;
  };
}

test(`reads a day of messages in order without blocking the event loop for ${MAX_HELD_MS} ms`, async () => {
  const feed = dayOfMessages();
  const query = { timestamp: UT, timestamp_to: UT + DAY, eventIds: null };
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= MAX_HELD_MS; attempt++) {
    const held = longestTurn();
    const found = await feed.window(query, UT, null);
    let [length, last, ids] = [0, '', 0];
    for await (const text of found.data) {
      length = Math.max(length, text.length);
      ids += text.split('{"id":').length - 1;
      if (text !== ']') last = text;
    }
    least = Math.min(least, held());
    expect(found.total).toBe(MESSAGES);
    expect(ids).toBe(MESSAGES);
    expect(last).toContain('{"id":0,');
    expect(length).toBeLessThan(70_000);
  }
  expect(least).toBeLessThan(MAX_HELD_MS);
});
