import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { LARGEST_BODY_BYTES } from '#ingestion/delivery.ts';
import { itemBytes } from '../provider/answer.ts';
import { answer } from '../testing/answers.ts';
import { bodiesOf, readEvents, readFeed, readSnapshot } from './messages.ts';

/** Unix milliseconds. */
const RECEIVED_AT = 60_000;

const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

test('returns the items of a list as the exact bytes of the answer', () => {
  const list = '[ {"b":1, "a":"é\\u0041"} ,[2], "x" ]';
  const body = `{"api":{"method":{"name":"x","parameters":{"data":["token"]}},"timestamp":1,"data":${list}}}`;
  const found = itemBytes({ ...answer([1], 1), body: Buffer.from(body) });
  expect(found.map(String)).toEqual(['{"b":1, "a":"é\\u0041"}', '[2]', '"x"']);
  expect(itemBytes(answer([], 1))).toEqual([]);
  expect(itemBytes(answer({}, 1))).toEqual([]);
});

test('joins messages into webhook-shaped bodies within the size limits', () => {
  expect(bodiesOf(bytes('1', '{"a":2}')).map(String)).toEqual(['[1,{"a":2}]']);
  expect(bodiesOf([])).toEqual([]);
  const large = Buffer.from(JSON.stringify('x'.repeat(3 * 1024 * 1024)));
  const lengths = (items: Buffer[]) => bodiesOf(items).map((body) => JSON.parse(body.toString()).length);
  expect(lengths([large, large, large])).toEqual([1, 1, 1]);
  expect(lengths(Array<Buffer>(12_000).fill(Buffer.from('1')))).toEqual([5_000, 5_000, 2_000]);
});

test('sends only the message that is not UTF-8 to dead letters, and publishes the others in order', () => {
  const message = (id: number) =>
    Buffer.from(JSON.stringify({ id, type: 'event', ut: 1, data: { event: { id: 9, name: 'Köln' } } }));
  const cut = message(2);
  // The second byte of ö, as when a database column cuts a name.
  cut[cut.indexOf('ö') + 1] = 0x3f;
  const deliveries = readFeed([message(1), cut, message(3), message(4)], RECEIVED_AT);
  const ids = deliveries.flatMap(({ normalized }) => normalized.map(({ message_id }) => message_id));
  expect(ids).toEqual(['1', '3', '4']);
  const own = Buffer.concat([Buffer.from('['), cut, Buffer.from(']')]);
  expect(deliveries.flatMap((one) => one.deadLetters)).toMatchObject([{ code: 'not_utf8', value: own }]);
  expect(deliveries.map(({ raw }) => raw?.body)).toContainEqual(own);
});

test('returns a snapshot with every incident and the time of the list, and a raw record with its bytes', () => {
  const incidents = bytes('{"id":"5-1", "incident_id":413}', '{"id":"5-2","incident_id":418,"ut":7}');
  const { raw, normalized, deadLetters } = readSnapshot({ eventId: 9, time: 50, incidents }, RECEIVED_AT);
  const [message] = normalized;
  const head = { type: 'incident_snapshot', event_id: 9, ut: 50, received_at: RECEIVED_AT, origin: 'feed' };
  expect(message).toMatchObject(head);
  expect(message?.snapshot?.map(({ id, ut }) => `${id} ${ut}`)).toEqual(['5-1 50', '5-2 7']);
  expect(raw?.body.toString()).toContain('{"id":"5-1", "incident_id":413},{"id":"5-2"');
  expect(raw?.delivery_id).toBe(hash('sha256', raw?.body ?? '', 'hex'));
  expect(message?.delivery_id).toBe(raw?.delivery_id);
  expect(deadLetters).toEqual([]);
});

test('carries the incidents of the list of deleted ones, also in its raw record', () => {
  const incidents = bytes('{"id":"5-1","incident_id":413}');
  const deleted = bytes('{"id":"5-2", "incident_id":413,"ut":40}');
  const { raw, normalized } = readSnapshot({ eventId: 9, time: 50, incidents, deleted }, RECEIVED_AT);
  expect(normalized).toMatchObject([{ snapshot: [{ id: '5-1' }], deleted: [{ id: '5-2', ut: 40 }] }]);
  expect(raw?.body.toString()).toMatch(/"data":{"incidents":\[.*\],"deleted":\[{"id":"5-2", .*}\]}}\]$/);
});

test('sends the whole list to dead letters when one incident is unreadable', () => {
  const incidents = bytes('{"id":"5-1","incident_id":413}', '{"id":17}');
  const { raw, normalized, deadLetters } = readSnapshot({ eventId: 9, time: 50, incidents }, RECEIVED_AT);
  const head = { type: 'event', event_id: 9, message_id: 'snapshot/9/50', ut: 50, origin: 'feed' };
  const unreadable = expect.stringMatching(/^incidents\.1\.incident_id: /);
  expect(normalized).toMatchObject([{ ...head, event: null, snapshot: null, unreadable }]);
  const letter = { code: 'unknown_shape', service: 'feed-poller', failed_at: RECEIVED_AT };
  expect(deadLetters).toMatchObject([letter]);
  expect(deadLetters[0]?.value).toEqual(raw?.body);
});

test('reads a body of the maximum size, and sends a larger one to dead letters without its bytes', () => {
  const message = (name: string) =>
    Buffer.from(JSON.stringify({ id: 1, type: 'event', ut: 1, data: { event: { id: 9, name } } }));
  const left = LARGEST_BODY_BYTES - message('').length - '[]'.length;
  const name = '球'.repeat(Math.floor(left / 3)) + 'x'.repeat(left % 3);
  const [fits, over] = [message(name), message(`${name}x`)].map((one) => readFeed([one], RECEIVED_AT)[0]);
  expect(fits?.raw?.body.length).toBe(LARGEST_BODY_BYTES);
  expect(fits?.deadLetters).toMatchObject([{ code: 'too_large', reason: 'message: more than 524288 bytes' }]);
  const reason = 'the body is larger than 8323072 bytes';
  const letter = { code: 'too_large', value: null };
  const none = { raw: null, normalized: [] };
  expect(over).toMatchObject({ ...none, deadLetters: [{ ...letter, reason, topic: null }] });
  const list = readSnapshot({ eventId: 9, time: 50, incidents: [message(name)] }, RECEIVED_AT);
  expect(list).toMatchObject({ ...none, deadLetters: [letter] });
});

test('turns events of a list into feed messages without their incidents', () => {
  const record = { id: 9, name: 'A - B', ut: 5, events_incidents: [{ id: '5-1' }] };
  const [delivery] = readEvents([{ record, ut: 7 }], 59, RECEIVED_AT);
  const message = { type: 'event', event_id: 9, ut: 7, content_at: 59_000, message_id: 'event/9/7' };
  expect(delivery?.normalized).toMatchObject([message]);
  expect(delivery?.normalized[0]?.event).toMatchObject({ name: 'A - B', ut: null, other: {} });
});
