import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { LONG_MAX } from '#json/values.ts';
import { avroType, loadSchemas } from '#topics/codec.ts';
import { TOPICS } from '#topics/topics.ts';
import {
  MAX_MESSAGE_BYTES,
  MAX_SNAPSHOT_BYTES,
  type Normalized,
  normalizeMessage,
  normalizeSnapshot,
} from './normalize.ts';
import { CONTEXT, eventMessage, incidentMessage, incidentRecord } from './testing/messages.ts';
import { normalized, reasonOf } from './testing/normalized.ts';

const normalize = (message: unknown): Normalized => normalizeMessage(message, CONTEXT);

describe('an incident message', () => {
  test('becomes an incident, an event, and its origin', () => {
    const message = normalized(incidentMessage());
    expect(message).toMatchObject({
      message_id: '35375779',
      type: 'incident',
      origin: 'webhook',
      delivery_id: CONTEXT.deliveryId,
      event_id: 7000001,
      ut: 1_790_000_000,
      received_at: CONTEXT.receivedAt,
      snapshot: null,
      other: {},
    });
    expect(message.incident).toEqual({
      deleted: false,
      incident: {
        id: '5-110',
        ut: 1_790_000_000,
        incident_id: 413,
        incident_name: 'Goal',
        participant_id: 101,
        participant_name: 'Home',
        subparticipant_id: null,
        subparticipant_name: null,
        event_status_id: 33,
        event_status_name: '1st half',
        event_time: 570,
        counts_for: null,
        confirmation: 'tbd',
        game_break: null,
        important: null,
        important_for_trader: null,
        attribute_ids: [],
        additional_info: null,
        parent_id: null,
        message_id: 35375779,
        other: { x_pos: 'null' },
      },
    });
  });

  test.each<[id: unknown, number: number | null]>([
    [5, 5],
    ['5', 5],
    ['a-5', null],
    [-5, null],
    ['9007199254740991', null],
    ['9007199254740990', LONG_MAX],
  ])('with the id %j reports its incident with the number %j', (id, number) => {
    expect(normalized(incidentMessage({ id })).incident?.incident.message_id).toBe(number);
  });

  test.each<[own: unknown, ofEvent: unknown, read: number | null]>([
    [null, 13, 13],
    ['x', '16', 16],
    [33, 141, 33],
    [null, 34, null],
    [null, 11, null],
    [null, null, null],
  ])('without a status of its own has that of a shoot-out: %j in %j is %j', (own, ofEvent, read) => {
    const message = incidentMessage({}, { event_status_id: own }, { status_id: ofEvent });
    const { incident } = normalized(message);
    expect(incident?.incident.event_status_id).toBe(read);
  });
});

describe('the event of a message', () => {
  test('is a value, with what a reader wants first beside it', () => {
    const { event, reported, clock } = normalized(eventMessage());
    expect(event).toMatchObject({
      action: null,
      status_id: 33,
      clock_time: 570,
      neutral_venue: false,
      details: [{ id: 16, value: '45' }, { id: 58 }],
      participants: [
        {
          id: 101,
          counter: 1,
          results: [{ id: 2, value: '1' }, { id: 411 }],
          other: { subparticipants: '[]' },
        },
        { id: 102, counter: 2 },
      ],
      nulls: [],
      other: {},
    });
    expect(reported).toEqual({ home: 1, away: 0 });
    expect(clock).toEqual({ time: 570, status: 'running', ut: 1_790_000_000 });
  });

  test('tells a field that is null from one that is left out', () => {
    const read = (event: object) => normalized(eventMessage({ data: { event: { id: 1, ...event } } }));
    expect(read({ clock_time: null, bfs: null })).toMatchObject({
      event: { clock_time: null, nulls: ['clock_time'], other: { bfs: 'null' } },
      reported: null,
      clock: null,
    });
    expect(read({ action: 'update' }).event).toBeNull();
    expect(read({ action: 'delete' }).event).toMatchObject({ action: 'delete' });
  });

  test('is the same whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
        const reversed = Object.fromEntries(Object.entries(extra).reverse());
        const [one, other] = [extra, reversed].map((fields) => normalize(eventMessage({}, fields)));
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
    );
  });
});

describe('other messages', () => {
  test.each([[{ event: { id: 7 } }], [{ event_id: '7' }], [{ id: 7, lineups: [{ b: 1, a: 2 }] }]])(
    'keeps the data of a keep-alive or of line-ups: %j',
    (data) => {
      for (const type of ['event_keep_alive', 'events_lineups']) {
        expect(normalized({ id: 1, type, ut: 5, data })).toMatchObject({
          type,
          event_id: 7,
          ut: 5,
          event: null,
          incident: null,
          other: Object.fromEntries(
            Object.entries(data).map(([name, value]) => [name, canonicalJson(value)]),
          ),
        });
      }
    },
  );

  test('ignores those without an event, and every other type', () => {
    expect(normalize({ id: 1, type: 'event_keep_alive', ut: 5, data: {} })).toEqual({
      kind: 'ignored',
      type: 'event_keep_alive',
    });
    expect(normalize({ type: 'season' })).toEqual({ kind: 'ignored', type: 'season' });
  });
});

describe('an unreadable message', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  test.each<[string, message: unknown, path: string]>([
    ['null', null, 'message'],
    ['nested absurdly', deep, 'message'],
    ['no type', { id: 1 }, 'type'],
    ['an empty type', { id: 1, type: ' ' }, 'type'],
    ['a type that nothing turns into text', eventMessage({ type: { toString: null } }), 'type'],
    ['no data', { id: 1, type: 'event', ut: 1 }, 'data'],
    ['no id', eventMessage({ id: undefined }), 'id'],
    ['no ut', eventMessage({ ut: undefined }), 'ut'],
    ['a ut that is no number', eventMessage({ ut: 'now' }), 'ut'],
    ['a fractional ut', eventMessage({ ut: 1.5 }), 'ut'],
    ['an id that is no id', eventMessage({ id: {} }), 'id'],
    ['no event', incidentMessage({ data: { incident: incidentRecord() } }), 'data.event'],
    ['an event without an id', eventMessage({ data: { event: {} } }), 'data.event.id'],
    ['a negative event id', eventMessage({}, { id: -1 }), 'data.event.id'],
    ['an empty incident id', incidentMessage({}, { id: '' }), 'data.incident.id'],
    ['an incident id that UTF-8 does not carry', incidentMessage({}, { id: '5-\ud800' }), 'data.incident.id'],
    ['an incident without a type', incidentMessage({}, { incident_id: null }), 'data.incident.incident_id'],
  ])('%s', (_, message, path) => {
    expect(reasonOf(normalize(message)).split(': ')[0]).toBe(`unknown_shape ${path}`);
  });

  test('never throws, and never contains a value', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.constantFrom('incident', 'event', 'event_keep_alive', 'other'),
        (data, type) => {
          const secret = 'hunter2hunter2';
          const result = normalize({
            id: 1,
            type,
            ut: 1,
            data: { event: data, incident: { id: secret, event_time: secret } },
          });
          expect(reasonOf(result)).not.toContain(secret);
        },
      ),
    );
  });
});

const snapshot = (incidents: unknown[], deleted?: unknown[]) =>
  normalizeSnapshot(
    { messageId: 's-1', eventId: 7000001, time: 1_790_000_900, incidents, deleted },
    { ...CONTEXT, origin: 'feed', receivedAt: 1_790_000_901_000 },
  );

test('a snapshot is the event’s whole incident list at the time of the response', () => {
  expect(snapshot([incidentRecord({ ut: 1_790_000_100 }), incidentRecord({ id: '5-120' })])).toMatchObject({
    kind: 'normalized',
    message: {
      message_id: 's-1',
      type: 'incident_snapshot',
      origin: 'feed',
      event_id: 7000001,
      ut: 1_790_000_900,
      event: null,
      incident: null,
      snapshot: [
        { id: '5-110', ut: 1_790_000_100 },
        { id: '5-120', ut: 1_790_000_900 },
      ],
    },
  });
});

test('a snapshot names as deleted what its list says is deleted, and the list of deleted incidents', () => {
  const incidents = [
    incidentRecord(),
    incidentRecord({ id: '5-111', action: 'DELETE', ut: 1_790_000_100 }),
    incidentRecord({ id: '5-112', action: 'delete' }),
  ];
  const odd = incidentRecord({ id: '5-114', for: {} });
  const deleted = [incidentRecord({ id: '5-113', ut: 1_790_000_200 }), odd];
  expect(snapshot(incidents, deleted)).toMatchObject({
    message: {
      snapshot: [{ id: '5-110' }],
      deleted: [
        { id: '5-111', ut: 1_790_000_100, message_id: null },
        { id: '5-112', ut: 1_790_000_900 },
        { id: '5-113', ut: 1_790_000_200 },
        { id: '5-114', ut: 1_790_000_900 },
      ],
      unread: ['deleted.*.for'],
    },
  });
});

test('an odd field of an entry is left out alone, whatever entry it is of', () => {
  const second = incidentRecord({ id: 7, event_time: '9:05', for: 5 });
  const entries = [incidentRecord({ event_time: 'x' }), second];
  expect(snapshot(entries)).toMatchObject({
    message: {
      snapshot: [
        { id: '5-110', event_time: null },
        { id: '7', event_time: 545, counts_for: null },
      ],
      unread: ['incidents.*.event_time', 'incidents.*.for'],
    },
  });
});

test('an entry has no number of a message, and only its own status', () => {
  const kick = incidentRecord({ event_status_id: null });
  expect(snapshot([kick])).toMatchObject({
    message: { snapshot: [{ message_id: null, event_status_id: null }] },
  });
});

test('a snapshot is unreadable when one incident is: a list without that incident would remove it', () => {
  expect(reasonOf(snapshot([incidentRecord(), incidentRecord({ incident_id: 'x' })]))).toMatch(
    /^unknown_shape incidents\.1\.incident_id: /,
  );
  expect(snapshot([], [incidentRecord({ id: {} })])).toMatchObject({
    kind: 'unreadable',
    mark: { type: 'event', message_id: 's-1', ut: 1_790_000_900, unreadable: expect.any(String) },
  });
  expect(snapshot([7])).toMatchObject({ reason: expect.stringMatching(/^incidents\.0: /) });
});

const schema = loadSchemas().topics.get('normalized-messages');
if (schema === undefined) throw new Error('no schema of normalized-messages');
const normalizedType = avroType(schema);

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Returns a text of so many bytes of UTF-8: the character repeated, then padded with ASCII. */
function textOf(bytes: number, character: string): string {
  const each = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / each)) + 'x'.repeat(bytes % each);
}

describe.each(['x', 'é', '球', '🏆'])('limits in bytes, of text of %s', (character) => {
  const name = (bytes: number) => textOf(bytes, character);

  test('accept an incident id of up to 255', () => {
    const id = (bytes: number) =>
      reasonOf(normalizeMessage(incidentMessage({}, { id: name(bytes) }), CONTEXT));
    expect(id(255)).toBe('normalized');
    expect(id(256)).toBe('unknown_shape data.incident.id: expected text of 1 to 255 bytes');
  });

  test.each(['event', 'incident'])('accept a message that fills its limit with its %s', (part) => {
    const message = (text: string) =>
      part === 'event' ? incidentMessage({}, {}, { name: text }) : incidentMessage({}, { info: text });
    const { event, incident } = normalized(message(''));
    const left = MAX_MESSAGE_BYTES - bytesOf([event, { ...incident?.incident, message_id: null }]);
    expect(reasonOf(normalizeMessage(message(name(left)), CONTEXT))).toBe('normalized');
    expect(reasonOf(normalizeMessage(message(name(left + 1)), CONTEXT))).toMatch(
      /^too_large message: more than 524288 bytes$/,
    );
  });

  const listed = (id: number, info: string) => incidentRecord({ id: `5-${id}`, info });
  const overhead = bytesOf({
    ...normalized(incidentMessage({}, listed(100, ''))).incident?.incident,
    message_id: null,
  });

  test('accept an incident of a snapshot that fills the limit of a message', () => {
    const left = MAX_MESSAGE_BYTES - overhead;
    expect(reasonOf(snapshot([listed(100, name(left))]))).toBe('normalized');
    expect(reasonOf(snapshot([listed(100, ''), listed(101, name(left + 1))]))).toMatch(
      /^too_large incidents\.1: more than 524288 bytes$/,
    );
  });

  test('accept incidents that together fill the limit of a snapshot', () => {
    // Brackets and commas around them: `[[…,…],[]]`.
    const all = MAX_SNAPSHOT_BYTES - '[[],[]]'.length - 15;
    const each = Math.floor(all / 16);
    const list = (more: number) =>
      Array.from({ length: 16 }, (_, at) =>
        listed(100 + at, name(each - overhead + (at === 7 ? more + (all % 16) : 0))),
      );
    expect(reasonOf(snapshot(list(0)))).toBe('normalized');
    expect(reasonOf(snapshot(list(1)))).toMatch(/^too_large incidents: more than 4194304 bytes$/);
  });
});

const longest = 'i'.repeat(251);
test.each([
  { of: 'the shortest incidents', incident: (at: number) => ({ id: at.toString(36), incident_id: 413 }) },
  {
    of: 'incidents that are mostly ids',
    incident: (at: number) => {
      const id = `${at}${longest}`.slice(0, 255);
      return { id, incident_id: 413, parent_id: id };
    },
  },
])('the largest snapshots fit a record of normalized-messages: of $of', ({ incident }) => {
  const listOf = (count: number) => {
    const incidents = Array.from({ length: count }, (_, at) => incident(at));
    return normalizeSnapshot({ messageId: 's', eventId: 7, time: 1_790_000_900, incidents }, CONTEXT);
  };
  let count = 4_000;
  while (listOf(count + 500).kind === 'normalized') count += 500;
  const result = listOf(count);
  if (result.kind !== 'normalized') throw new Error(reasonOf(result));
  expect(normalizedType.toBuffer(result.message).length).toBeLessThan(
    TOPICS['normalized-messages'].maxMessageBytes - 64 * 1024,
  );
});

test('rejects a message with a ut after the year 9999, as one in milliseconds', () => {
  const last = Date.parse('9999-12-31T23:59:59Z') / 1000;
  const ofMessage = (ut: unknown) => reasonOf(normalizeMessage(incidentMessage({ ut }), CONTEXT));
  expect(ofMessage(last)).toBe('normalized');
  expect(ofMessage(last + 1)).toBe('unknown_shape ut: expected a whole number from 0 to 253402300799');
  expect(ofMessage(Date.now())).toMatch(/^unknown_shape /);
});
