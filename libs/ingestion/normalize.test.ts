import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { LONG_MAX } from '#json/values.ts';
import { type Normalized, normalizeMessage } from './normalize.ts';
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
