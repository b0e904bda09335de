/** Every form of docs/reference/lenient-reading.md, and what is read of it. */
import { describe, expect, test } from 'vitest';
import { eventObject, incidentObject, NO_EVENT } from '#domain/event.ts';
import { otherFields } from '#json/records.ts';
import { INT_MAX } from '#json/values.ts';
import { CONTEXT, eventMessage, incidentMessage, incidentRecord } from './testing/messages.ts';
import { normalized } from './testing/normalized.ts';

const deep = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`);
const infinite = JSON.parse('1e999');
const LEFT_OUT = undefined;

/** Returns an event's field in the provider's form, as it was read, and the unread paths. */
function eventField(name: string, given: unknown): [unknown, readonly string[]] {
  const { event, unread } = normalized(eventMessage({}, { [name]: given }));
  return [eventObject(event ?? NO_EVENT)[name], unread];
}

/** Returns an incident's field in the provider's form, as it was read, the incident and the unread paths. */
function incidentField(name: string, given: unknown) {
  const { incident, unread } = normalized(incidentMessage({}, { [name]: given }));
  if (incident === null) throw new Error('no incident');
  return { value: incidentObject(incident.incident)[name], ...incident, unread };
}

describe('a field of an event', () => {
  test.each<[name: string, given: unknown, read: unknown]>([
    ['status_id', 34, 34],
    ['status_id', '34', 34],
    ['status_id', ' 34 ', 34],
    ['status_id', '34.0', 34],
    ['status_id', '+34', 34],
    ['status_id', '', LEFT_OUT],
    ['status_id', ' ', LEFT_OUT],
    ['status_id', null, LEFT_OUT],
    ['round_id', null, null],
    ['verified_result', 'Yes', 'yes'],
    ['verified_result', 0, 'no'],
    ['winner_id', '101', 101],
    ['series', { order: '1', event_ids: ['7', 8] }, { order: 1, event_ids: [7, 8] }],
    ['competition_id', ` ${2 ** 40}`, 2 ** 40],
    ['ut', ' 5', 5],
    ['name', 17, '17'],
    ['name', 1.5, '1.5'],
    ['name', 'a', 'a'],
    ['round_name', 4, '4'],
    ['latency', 3, '3'],
    ['start_date', '2026-08-15 15:00', '2026-08-15 15:00'],
    ['neutral_venue', 'YES', 'yes'],
    ['neutral_venue', ' no ', 'no'],
    ['neutral_venue', true, 'yes'],
    ['neutral_venue', false, 'no'],
    ['neutral_venue', 'True', 'yes'],
    ['neutral_venue', 'FALSE', 'no'],
    ['neutral_venue', 1, 'yes'],
    ['neutral_venue', 0, 'no'],
    ['neutral_venue', '1', 'yes'],
    ['neutral_venue', '0', 'no'],
    ['neutral_venue', '', LEFT_OUT],
    ['status_type', 'Live', 'live'],
    ['status_type', 'LIVE ', 'live'],
    ['status_type', 'Half-Way', 'Half-Way'],
    ['status_type', '', LEFT_OUT],
    ['status_type', 'Scheduled', 'scheduled'],
    ['status_type', 'Finished', 'finished'],
    ['status_type', 'Cancelled', 'cancelled'],
    ['status_type', 'Interrupted', 'interrupted'],
    ['status_type', 'Deleted', 'deleted'],
    ['status_type', 'Other', 'other'],
    ['relation_status', 'Not_Started', 'not_started'],
    ['relation_status', 'In_Progress', 'in_progress'],
    ['relation_status', 'FINISHED', 'finished'],
    ['relation_status', '30_MIN_LEFT', '30_min_left'],
    ['relation_status', '5_Min_Left', '5_min_left'],
    ['bet_status', 'Suspended', 'suspended'],
    ['bet_status', 'Active', 'active'],
    ['bet_status', 'Inactive', 'inactive'],
    ['item_status', 'DELETED', 'deleted'],
    ['item_status', 'Active', 'active'],
    ['clock_status', 'Running', 'running'],
    ['clock_status', 'STOPPED', 'stopped'],
    ['action', 'Delete', 'delete'],
    ['action', 'UPDATE', LEFT_OUT],
    ['details', {}, []],
    ['details', '', LEFT_OUT],
    ['details', null, null],
    [
      'details',
      { 0: { id: 16, value: 45 }, 1: { id: 17, value: 2 } },
      [
        { id: 16, value: '45' },
        { id: 17, value: '2' },
      ],
    ],
    ['details', { 3: { id: '16 ', value: ' 45' } }, [{ id: 16, value: '45' }]],
    ['details', [{ id: 16, value: '45.0' }], [{ id: 16, value: '45' }]],
    ['details', [{ id: 58, value: ' No extra time' }], [{ id: 58, value: ' No extra time' }]],
    ['participants', {}, LEFT_OUT],
    ['participants', [], LEFT_OUT],
  ])('%s: %j is read as %j', (name, given, read) => {
    expect(eventField(name, given)).toEqual([read, []]);
  });

  test.each<[name: string, given: unknown]>([
    ['status_id', 'x'],
    ['status_id', '34.5'],
    ['status_id', ' 2147483648'],
    ['status_id', 2 ** 31],
    ['status_id', -1],
    ['status_id', true],
    ['clock_time', infinite],
    ['clock_time', -1],
    ['played_time', 12.5],
    ['competition_id', {}],
    ['ut', 2 ** 50],
    ['name', {}],
    ['name', infinite],
    ['name', true],
    ['start_date', 17],
    ['neutral_venue', 'maybe'],
    ['neutral_venue', 2],
    ['neutral_venue', []],
    ['bet_status', 5],
    ['bet_status', false],
    ['verified_result', { by: 'x' }],
    ['series', 7],
    ['action', 'undo'],
    ['action', 7],
    ['details', 7],
    ['details', 'none'],
    ['details', { first: { id: 16, value: 45 } }],
    ['participants', true],
  ])('%s: %j is left out, and named', (name, given) => {
    expect(eventField(name, given)).toEqual([LEFT_OUT, [`event.${name}`]]);
  });

  test('that is not known is copied, but for a value that no message can have', () => {
    expect(eventField('x', { a: [1, null, 'b'] })).toEqual([{ a: [1, null, 'b'] }, []]);
    for (const value of [deep, infinite, { a: [infinite] }])
      expect(eventField('x', value)).toEqual([LEFT_OUT, ['event.*']]);
  });
});

describe('the participants of an event', () => {
  test('lose an unknown field that would nest too deep in its message, also where another field is odd', () => {
    const left = (levels: number, odd: object) => {
      const x = JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
      const participants = [{ id: 101, counter: 1, results: [{ id: 2, value: 1, x }] }];
      const { event, unread } = normalized(eventMessage({}, { participants, ...odd }));
      return ['x' in (event?.participants[0]?.results[0]?.other ?? {}), unread];
    };
    expect([left(59, {}), left(59, { latency: {} })]).toEqual([
      [true, []],
      [true, ['event.latency']],
    ]);
    expect(left(60, {})).toEqual([false, ['event.participants.*.results.*.*']]);
  });

  const side = (changes: object) => ({ id: 101, counter: 1, name: 'Home', results: [], ...changes });
  const away = { id: 102, counter: 2, name: 'Away', results: [{ id: 2, value: 0 }] };

  test.each<[given: object, path: string]>([
    [side({ id: 'x' }), 'event.participants.*.id'],
    [side({ id: null }), 'event.participants.*.id'],
    [7 as unknown as object, 'event.participants.*'],
    [side({ id: 'x', name: {} }), 'event.participants.*.id'],
  ])('lose a side without its essentials alone: %j', (given, path) => {
    expect(eventField('participants', [given, away])).toEqual([
      eventField('participants', [away])[0],
      [path],
    ]);
  });

  test.each<[changes: object, read: object, unread: string[]]>([
    [{ id: ' 101 ' }, { id: 101 }, []],
    [{ counter: '1.0' }, { counter: 1 }, []],
    [{ counter: '' }, { counter: undefined }, []],
    [{ counter: 'home' }, { counter: undefined }, ['event.participants.*.counter']],
    [{ counter: -1 }, { counter: undefined }, ['event.participants.*.counter']],
    [{ area_id: '7', area_name: 7 }, { area_id: 7, area_name: '7' }, []],
    [{ name: 7 }, { name: '7' }, []],
    [{ short_name: {} }, { short_name: undefined }, ['event.participants.*.short_name']],
    [{ acronym: [] }, { acronym: undefined }, ['event.participants.*.acronym']],
    [{ type: true }, { type: undefined }, ['event.participants.*.type']],
    [{ results: {} }, { results: [] }, []],
    [{ results: null }, { results: null }, []],
    [{ results: { 0: { id: 2, value: 1 } } }, { results: [{ id: 2, value: 1 }] }, []],
    [{ results: 5 }, { results: undefined }, ['event.participants.*.results']],
    [{ results: [{ id: 2, value: ' 3 ' }] }, { results: [{ id: 2, value: '3' }] }, []],
    [
      {
        results: [
          { id: 'x', value: 3 },
          { id: 4, value: 1 },
        ],
      },
      { results: [{ id: 4, value: 1 }] },
      ['event.participants.*.results.*.id'],
    ],
    [{ results: [3, { id: 4 }] }, { results: [{ id: 4 }] }, ['event.participants.*.results.*']],
    [
      {
        results: [
          { id: 2, value: {} },
          { id: 4, value: true },
          { id: 5, value: 1 },
        ],
      },
      { results: [{ id: 2 }, { id: 4 }, { id: 5, value: 1 }] },
      ['event.participants.*.results.*.value'],
    ],
    [
      { results: [{ id: 2, value: 1, x: deep }] },
      { results: [{ id: 2, value: 1 }] },
      ['event.participants.*.results.*.*'],
    ],
    [{ stats: { 1: { id: 8, value: null } } }, { stats: [{ id: 8, value: null }] }, []],
    [{ stats: 'x' }, { stats: undefined }, ['event.participants.*.stats']],
    [{ x: infinite }, { x: undefined }, ['event.participants.*.*']],
  ])('with %j are read', (changes, read, unread) => {
    const [plain] = eventField('participants', [side(read), away]);
    expect(eventField('participants', [side(changes), away])).toEqual([plain, unread]);
  });

  test('name what is left out of both sides, sorted, once', () => {
    const odd = (counter: number) => side({ counter, name: {}, acronym: {} });
    expect(eventField('participants', [odd(1), odd(2)])[1]).toEqual([
      'event.participants.*.acronym',
      'event.participants.*.name',
    ]);
  });
});

describe('a field of an incident', () => {
  test.each<[name: string, given: unknown, value: unknown, parsed: object]>([
    ['id', 17, '17', { id: '17' }],
    ['incident_id', '413', 413, { incident_id: 413 }],
    ['incident_id', ' 413.0', 413, { incident_id: 413 }],
    ['participant_id', '102', 102, { participant_id: 102 }],
    ['participant_id', ' 102', 102, { participant_id: 102 }],
    ['participant_id', '', null, { participant_id: null }],
    ['subparticipant_id', ' 9', 9, {}],
    ['subparticipant_name', 9, '9', {}],
    ['participant_name', 9, '9', {}],
    ['incident_name', 9, '9', {}],
    ['event_status_name', 9, '9', {}],
    ['event_status_id', ' 33', 33, { event_status_id: 33 }],
    ['event_time', '9:05', '09:05', { event_time: 545 }],
    ['event_time', ' 09:05 ', '09:05', { event_time: 545 }],
    ['event_time', ' 0:00', '00:00', { event_time: 0 }],
    ['event_time', '120:03', '120:03', { event_time: 7203 }],
    ['event_time', '', null, { event_time: null }],
    ['for', 'Rival', 'rival', { counts_for: 'rival' }],
    ['for', 'ALL', 'all', { counts_for: 'all' }],
    ['for', 'Own', 'own', { counts_for: 'own' }],
    ['for', 'None', 'none', { counts_for: 'none' }],
    ['for', '', null, { counts_for: null }],
    ['confirmation', 'Confirmed', 'confirmed', { confirmation: 'confirmed' }],
    ['confirmation', ' TBD', 'tbd', { confirmation: 'tbd' }],
    ['confirmation', 'CANCELLED', 'cancelled', { confirmation: 'cancelled' }],
    ['confirmation', '', null, { confirmation: null }],
    ['important', '', null, {}],
    ['important', true, 'yes', {}],
    ['important_for_trader', 'No', 'no', {}],
    ['game_break', 0, 'no', {}],
    ['parent_id', 17, '17', { parent_id: '17' }],
    ['parent_id', '', null, { parent_id: null }],
    ['attribute_ids', ['7', 8], [7, 8], {}],
    ['attribute_ids', null, [], {}],
    ['additional_info', { assistant_id: ' 8', hand: 'l' }, { assistant_id: 8, hand: 'l' }, {}],
    ['ut', ' 1790000100', 1_790_000_100, { ut: 1_790_000_100 }],
    ['ut', '', 1_790_000_000, {}],
  ])('%s: %j is read as %j', (name, given, value, parsed) => {
    expect(incidentField(name, given)).toMatchObject({ value, incident: parsed, unread: [] });
  });

  test.each<[name: string, given: unknown, parsed: object]>([
    ['participant_id', 'x', { participant_id: null }],
    ['subparticipant_id', {}, {}],
    ['subparticipant_name', [], {}],
    ['participant_name', true, {}],
    ['incident_name', {}, {}],
    ['event_status_name', {}, {}],
    ['event_status_id', 2 ** 31, { event_status_id: null }],
    ['event_time', 570, { event_time: null }],
    ['event_time', '9:5', { event_time: null }],
    ['event_time', '10:60', { event_time: null }],
    ['event_time', '10:30:00', { event_time: null }],
    ['event_time', '99999:00', { event_time: null }],
    ['for', 'both', { counts_for: null }],
    ['important', 'maybe', {}],
    ['important_for_trader', [], {}],
    ['game_break', 2, {}],
    ['parent_id', {}, { parent_id: null }],
    ['parent_id', '5-\ud800', { parent_id: null }],
    ['parent_id', 1.5, { parent_id: null }],
    ['ut', 'now', { ut: 1_790_000_000 }],
    ['ut', 1_790_000_000_000, { ut: 1_790_000_000 }],
  ])('%s: %j is left out, and named', (name, given, parsed) => {
    expect(incidentField(name, given)).toMatchObject({
      value: name === 'ut' ? 1_790_000_000 : null,
      incident: { id: '5-110', incident_id: 413, ...parsed },
      unread: [`incident.${name}`],
    });
  });

  test.each(['maybe', 'canceled', 1, true, {}])('confirmation: %j is tbd, and named', (given) => {
    expect(incidentField('confirmation', given)).toMatchObject({
      value: 'tbd',
      incident: { confirmation: 'tbd' },
      unread: ['incident.confirmation'],
    });
  });

  test.each<[given: unknown, deleted: boolean, unread: string[]]>([
    ['Delete', true, []],
    [' DELETE ', true, []],
    ['Insert', false, []],
    ['', false, []],
    ['undo', false, ['incident.action']],
    [7, false, ['incident.action']],
  ])('action: %j deletes: %j', (given, deleted, unread) => {
    expect(incidentField('action', given)).toMatchObject({ value: undefined, deleted, unread });
  });

  test('that is not known is copied, but for a value that no message can have', () => {
    expect(incidentField('x', { a: 1 })).toMatchObject({ value: { a: 1 }, unread: [] });
    expect(incidentField('x', deep)).toMatchObject({ value: undefined, unread: ['incident.*'] });
  });

  test('in a list is left out alone, and named', () => {
    expect(incidentField('attribute_ids', [7, 'x', {}])).toMatchObject({
      value: [7],
      unread: ['incident.attribute_ids.*'],
    });
  });

  test('named like a property of every object is like any other', () => {
    const odd = JSON.parse('{"constructor": 5, "important": 2}');
    const { incident } = normalized(incidentMessage({}, odd));
    expect(incident?.incident.other.constructor).toBe('5');
  });
});

test('half of a character is named where it is read', () => {
  const half = '\ufffd FC';
  const { unread } = normalized(
    incidentMessage(
      {},
      { participant_name: half, x: { y: half } },
      { name: half, participants: [{ id: 1, counter: 1, name: half }] },
    ),
  );
  expect(unread).toEqual([
    'event.name',
    'event.participants.*.name',
    'incident.*',
    'incident.participant_name',
  ]);
});

describe('a message', () => {
  test.each(['Incident', ' INCIDENT '])('of type %j is an incident', (type) => {
    expect(normalized(incidentMessage({ type }))).toMatchObject({
      type: 'incident',
      incident: { incident: { id: '5-110' } },
      unread: [],
    });
  });

  test.each(['Event', 'EVENT_KEEP_ALIVE', 'Events_Lineups'])('of type %j is of that type', (type) => {
    expect(normalized(eventMessage({ type })).type).toBe(type.toLowerCase());
  });

  test.each<[changes: Record<string, unknown>, read: object, unread: string[]]>([
    [{ id: 5 }, { message_id: '5' }, []],
    [{ id: '5' }, { message_id: '5' }, []],
    [{ id: '', uuid: 'u' }, { message_id: 'u', uuid: 'u' }, []],
    [{ id: '', uuid: 17 }, { message_id: '17', uuid: '17' }, []],
    [{ id: {}, uuid: 'u' }, { message_id: 'u' }, ['id']],
    [{ id: 5, uuid: {} }, { message_id: '5', uuid: null }, ['uuid']],
    [{ id: 5, uuid: '' }, { message_id: '5', uuid: null }, []],
    [{ ut: '1790000000' }, { ut: 1_790_000_000 }, []],
    [{ ut: ' 1790000000.0 ' }, { ut: 1_790_000_000 }, []],
    [{ source: 'x' }, { source: null }, []],
    [{ source: -1 }, { source: null }, []],
    [{ source: INT_MAX }, { source: INT_MAX }, []],
    [{ source: INT_MAX + 1 }, { source: null }, []],
  ])('with %j is read', (changes, read, unread) => {
    expect(normalized(eventMessage(changes))).toMatchObject({ ...read, unread });
  });

  test('keeps its source where another field is odd', () => {
    expect(normalized(eventMessage({ source: 7 }, { latency: {} })).source).toBe(7);
  });

  test('about an event whose id is text with blanks is read', () => {
    expect(normalized(incidentMessage({}, {}, { id: ' 7000001 ' })).event_id).toBe(7_000_001);
  });
});

describe('a keep-alive or line-up', () => {
  const read = (data: unknown) => normalized({ id: 1, type: 'events_lineups', ut: 5, data });

  test.each<[data: object, unread: string[]]>([
    [{ event: { id: ' 7 ' } }, []],
    [{ event_id: 7 }, []],
    [{ event: 5, event_id: 7 }, ['data.event']],
    [{ event: { id: 'x' }, id: 7 }, ['data.event.id']],
    [{ event: { id: 7 }, event_id: {} }, ['data.event_id']],
    [{ event: { id: 7 }, id: 'x' }, ['data.id']],
  ])('with the data %j is read', (data, unread) => {
    const message = read(data);
    expect([message.event_id, otherFields(message.other), message.unread]).toEqual([7, data, unread]);
  });
});

test('a record is read as it is where only another one is odd', () => {
  const odd = incidentMessage({}, { important: 2, x: ['as', { it: 'is' }] });
  const plain = incidentMessage({}, { x: ['as', { it: 'is' }] });
  const [one, other] = [normalized(odd), normalized(plain)];
  expect({ ...one, unread: [] }).toEqual(other);
  expect(incidentRecord()).not.toHaveProperty('important');
  expect(one.received_at).toBe(CONTEXT.receivedAt);
});
