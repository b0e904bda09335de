import { expect, test } from 'vitest';
import { lostText, lostTopics, type TopicMark } from './topic-ids.ts';
import type { TopicName } from './topics.ts';

const NAME = 't.clients';
const MARKS = new Map<TopicName, TopicMark>([['clients', { id: 'a', logs: [{ start: 2, end: 9 }] }]]);

const [AGAIN, FIRST, LAST] = [
  'deleted and created again, without its records',
  'without its first records, which retention or an operator deleted',
  'without its last records, which a broker lost',
];

test.each([
  ['as it was', { id: 'a' }, { start: 2, end: 9 }, ''],
  ['with more records', { id: 'a' }, { start: 2, end: 12 }, ''],
  ['deleted', null, null, `deleted: ${NAME}`],
  ['made again', { id: 'b' }, { start: 0, end: 0 }, `${AGAIN}: ${NAME}`],
  ['cut at its beginning', { id: 'a' }, { start: 3, end: 9 }, `${FIRST}: ${NAME}`],
  ['cut at its end', { id: 'a' }, { start: 2, end: 8 }, `${LAST}: ${NAME}`],
])('says of a topic %s what it lost', (_, found, log, text) => {
  const topics = new Map(found === null ? [] : [[NAME, found]]);
  const bounds = new Map(log === null ? [] : [[NAME, [log]]]);
  expect(lostText('t.', lostTopics('t.', MARKS, topics, bounds))).toBe(text);
});
