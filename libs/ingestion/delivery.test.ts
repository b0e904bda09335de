import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readDeadLetter, readDelivery } from './delivery.ts';
import { CONTEXT, eventMessage, incidentMessage } from './testing/messages.ts';

const context = { origin: 'webhook', service: 'webhook-receiver', receivedAt: CONTEXT.receivedAt } as const;
const read = (body: string | Buffer) => readDelivery(Buffer.from(body), context);
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const good = JSON.stringify(incidentMessage());

describe('readDelivery', () => {
  test('keeps the bytes unchanged, with their SHA-256 as the delivery id', () => {
    const body = ` [ ${good} ]\n`;
    expect(read(body).raw).toEqual({
      delivery_id: sha256(body),
      origin: 'webhook',
      received_at: CONTEXT.receivedAt,
      body: Buffer.from(body),
    });
  });

  test('normalizes every message in order, with the id of the delivery', () => {
    const { normalized, deadLetters } = read(`[${good},${JSON.stringify(eventMessage())}]`);
    expect(normalized.map((message) => message.type)).toEqual(['incident', 'event']);
    expect(normalized[0]?.delivery_id).toBe(sha256(`[${good},${JSON.stringify(eventMessage())}]`));
    expect(deadLetters).toEqual([]);
  });

  test('reads half of a character in a name as U+FFFD, which every reader can read', () => {
    const name = 'FC \ud83d';
    const cut = incidentMessage({}, { participant_name: name }, { name });
    const { normalized } = read(JSON.stringify([cut]));
    expect(JSON.stringify(normalized)).not.toMatch(/\\ud83d/);
    expect(JSON.stringify(normalized).split('FC \ufffd')).toHaveLength(3);
  });

  test('stores no record of the empty array', () => {
    expect(read('[]')).toEqual({ raw: null, normalized: [], deadLetters: [], ignored: new Map() });
  });

  test.each([
    ['not_utf8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
    ['not_utf8', Buffer.concat([Buffer.from(`[${good}`), Buffer.from([0xc3]), Buffer.from(']')])],
    ['not_json', Buffer.from('')],
    ['not_json', Buffer.from(`[${good}`)],
    ['not_array', Buffer.from('{"id":1}')],
    ['not_array', Buffer.from('null')],
    ['unknown_shape', Buffer.from('['.repeat(200_000) + ']'.repeat(200_000))],
    ['not_json', Buffer.from('['.repeat(200_000))],
    ['too_many', Buffer.from(`[${'{},'.repeat(10_000)}{}]`)],
    ['unknown_shape', Buffer.from('[{"hello":"world"}]')],
  ])('sends a body that is %s to dead letters, with its bytes', (code, body) => {
    const { raw, normalized, deadLetters } = read(body);
    expect(normalized).toEqual([]);
    expect(raw?.body).toEqual(body);
    const from = { topic: null, partition: null, offset: null, failed_at: CONTEXT.receivedAt };
    expect(deadLetters).toMatchObject([{ code, service: 'webhook-receiver', ...from }]);
    expect(deadLetters[0]?.value).toEqual(body);
    expect(deadLetters[0]?.key?.toString()).toBe(sha256(body));
  });

  test('reads a body that is one message as a list of one', () => {
    expect(read(good)).toMatchObject({
      raw: { body: Buffer.from(good) },
      normalized: [{ type: 'incident' }],
    });
    const { normalized, deadLetters } = read('{"type":"event"}');
    expect(normalized).toEqual([]);
    expect(deadLetters).toMatchObject([{ code: 'unknown_shape', value: Buffer.from('{"type":"event"}') }]);
  });

  describe('a mark of an unreadable message', () => {
    const markOf = (message: object) => read(JSON.stringify([message])).normalized;

    test('says why to its match, and carries nothing else', () => {
      const body = JSON.stringify([incidentMessage({}, { incident_id: 'goal' }), eventMessage()]);
      const { normalized, deadLetters } = read(body);
      const reason = 'data.incident.incident_id: expected a whole number from 0 to 2147483647';
      expect(deadLetters).toMatchObject([{ code: 'unknown_shape', reason }]);
      expect(normalized).toMatchObject([{ unreadable: reason }, { unreadable: null }]);
      expect(normalized[0]).toEqual({
        message_id: '35375779',
        uuid: null,
        source: null,
        type: 'event',
        origin: 'webhook',
        delivery_id: sha256(body),
        event_id: 7000001,
        ut: 1_790_000_000,
        received_at: CONTEXT.receivedAt,
        content_at: 1_790_000_000_000,
        event: null,
        reported: null,
        clock: null,
        incident: null,
        snapshot: null,
        other: {},
        unread: [],
        unreadable: reason,
        deleted: [],
        absence: null,
      });
    });

    test.each<[what: string, message: object, mark: object]>([
      ['without a type', incidentMessage({ type: undefined }), { unreadable: 'type: expected text' }],
      ['about an event whose id is text', incidentMessage({ type: 1 }, {}, { id: ' 9 ' }), { event_id: 9 }],
      ['without a time', incidentMessage({ ut: 'now' }), { ut: 1_790_000_000 }],
      ['in milliseconds', incidentMessage({ ut: 1_790_000_000_000 }), { ut: 1_790_000_000 }],
      ['of an old time', incidentMessage({ ut: ' 5 ', type: 1 }), { ut: 5 }],
      ['of a wrong clock', incidentMessage({ ut: 1_790_000_301, type: 1 }), { ut: 1_790_000_000 }],
      ['with a uuid', incidentMessage({ id: {}, uuid: 'u', type: 1 }), { message_id: 'u' }],
      ['that is too large', eventMessage({}, { name: 'x'.repeat(600_000) }), { event_id: 7000001 }],
    ])('of a message %s', (_, message, mark) => {
      expect(markOf(message)).toMatchObject([{ type: 'event', unreadable: expect.any(String), ...mark }]);
    });

    test('has an id of its delivery and place where the message has none', () => {
      const body = JSON.stringify([eventMessage(), eventMessage({ id: null }), eventMessage({ id: {} })]);
      const ids = read(body).normalized.map(({ message_id }) => message_id);
      expect(ids).toEqual(['35375780', `unread/${sha256(body)}/1`, `unread/${sha256(body)}/2`]);
    });

    test.each<[what: string, message: object]>([
      ['without an event', incidentMessage({ data: { incident: {} } })],
      ['of an unreadable event', eventMessage({}, { id: 'x' })],
      ['of an event id out of range', eventMessage({}, { id: 2 ** 53 })],
      ['of an event id of 0 as text', eventMessage({}, { id: '0' })],
      ['without data', eventMessage({ data: 5 })],
      ['that is a keep-alive', eventMessage({ type: 'Event_Keep_Alive', ut: null })],
      ['that is a line-up', eventMessage({ type: 'events_lineups', ut: null })],
      [
        'that is too large',
        eventMessage({ type: 'events_lineups', data: { id: 7, x: 'x'.repeat(600_000) } }),
      ],
    ])('is not made of a message %s', (_, message) => {
      expect(read(JSON.stringify([message]))).toMatchObject({ normalized: [], deadLetters: [{}] });
    });
  });

  test('sends one bad message to dead letters with its bytes, and continues', () => {
    const bad = '{"type" : "event", "note": "],[" }';
    const { normalized, deadLetters } = read(`[${good}, ${bad} ,5,${good}]`);
    expect(normalized).toHaveLength(2);
    expect(deadLetters.map((letter) => letter.value?.toString())).toEqual([bad, '5']);
    expect(new Set(deadLetters.map((letter) => letter.id)).size).toBe(2);
  });

  test('counts messages of unused types', () => {
    expect(read(`[{"type":"season"},${good},{"type":"season"},{"type":"tour"}]`)).toMatchObject({
      normalized: [{}],
      deadLetters: [],
      ignored: new Map([
        ['season', 2],
        ['tour', 1],
      ]),
    });
  });

  test('ignores a byte order mark', () => {
    expect(read(`\ufeff[${good}]`).normalized).toHaveLength(1);
  });
});

describe('readDeadLetter', () => {
  const letterOf = (body: string | Buffer) => {
    const [letter] = read(body).deadLetters;
    if (letter === undefined) throw new Error('no dead letter');
    return letter;
  };

  test('normalizes the message again, with the id of its original delivery', () => {
    const letter = { ...letterOf('[1,2]'), value: Buffer.from(good) };
    const again = readDeadLetter(letter, { ...context, receivedAt: 5 });
    expect(again).toMatchObject({
      faults: [],
      normalized: [{ type: 'incident', received_at: 5, delivery_id: sha256('[1,2]') }],
    });
  });

  test('normalizes all messages of a body that had too many to be received', () => {
    const letter = letterOf(`[${`${good},`.repeat(10_000)}${good}]`);
    expect(letter.code).toBe('too_many');
    const { normalized, faults } = readDeadLetter(letter, context);
    expect([normalized.length, faults]).toEqual([10_001, []]);
  });

  test('does not repeat the mark of a message that is still unreadable', () => {
    const bad = JSON.stringify([incidentMessage({ ut: null })]);
    expect(read(bad).normalized).toHaveLength(1);
    expect(readDeadLetter(letterOf(bad), context)).toMatchObject({ normalized: [], faults: [{}] });
    const single = { ...letterOf('[1,2]'), value: Buffer.from(bad.slice(1, -1)) };
    expect(readDeadLetter(single, context)).toMatchObject({ normalized: [], faults: [{}] });
  });

  test.each(['{', '5', '[5]', '[[5],1]'])('reports a message that is still unreadable: %s', (body) => {
    expect(readDeadLetter(letterOf(body), context)).toMatchObject({ normalized: [], faults: [{}] });
  });
});
