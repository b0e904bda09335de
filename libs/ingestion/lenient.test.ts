/** Every form of docs/reference/lenient-reading.md, and what is read of it. */
import { describe, expect, test } from 'vitest';
import { eventObject, incidentObject, NO_EVENT } from '#domain/event.ts';
import { otherFields } from '#json/records.ts';
import { INT_MAX } from '#json/values.ts';
import { eventMessage, incidentMessage } from './testing/messages.ts';
import { normalized } from './testing/normalized.ts';

const deep = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`);
const infinite = JSON.parse('1e999');
const LEFT_OUT = undefined;

/**
 * Reads a table: on each line a field, its values in JSON between bars and, behind an arrow, what is read of each of them. Without
 * a value there, the field is left out.
 */
function tableOf(text: string): [name: string, given: unknown, read: unknown][] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [, name = '', values = '', read = ''] = /^ *(\w+): (.*?)(?: →(.*))?$/.exec(line) ?? [];
      return values
        .split(' | ')
        .map((given): [string, unknown, unknown] => [
          name,
          JSON.parse(given),
          read.trim() === '' ? LEFT_OUT : JSON.parse(read),
        ]);
    });
}

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
  test.each(
    tableOf(`
      status_id: 34 | "34" | " 34 " | "34.0" | "+34" → 34
      status_id: "" | " " | null →
      round_id: null → null
      verified_result: "Yes" → "yes"
      verified_result: 0 → "no"
      winner_id: "101" → 101
      series: {"order": "1", "event_ids": ["7", 8]} → {"order": 1, "event_ids": [7, 8]}
      competition_id: " 1099511627776" → 1099511627776
      ut: " 5" → 5
      name: 17 | "17" → "17"
      name: 1.5 → "1.5"
      round_name: 4 → "4"
      latency: 3 → "3"
      source: "9" → 9
      source: -1 → -1
      venue_id: "77" → 77
      venue_id: "" →
      day: 7 → "7"
      ft_only: true → "yes"
      scoutsfeed: "NO" → "no"
      start_date: "2026-08-15 15:00" → "2026-08-15 15:00"
      neutral_venue: "YES" | true | "True" | 1 | "1" → "yes"
      neutral_venue: " no " | false | "FALSE" | 0 | "0" → "no"
      neutral_venue: "" →
      status_type: "Live" | "LIVE " → "live"
      status_type: "Half-Way" → "Half-Way"
      status_type: "" →
      action: "Delete" → "delete"
      action: "UPDATE" →
      details: {} → []
      details: "" →
      details: null → null
      details: {"0": {"id": 16, "value": 45}, "1": {"id": 17, "value": 2}} → [{"id": 16, "value": "45"}, {"id": 17, "value": "2"}]
      details: {"3": {"id": "16 ", "value": " 45"}} | [{"id": 16, "value": "45.0"}] → [{"id": 16, "value": "45"}]
      details: [{"id": 58, "value": " No extra time"}] → [{"id": 58, "value": " No extra time"}]
      participants: {} | [] →`),
  )('%s: %j is read as %j', (name, given, read) => {
    expect(eventField(name, given)).toEqual([read, []]);
  });

  test.each([
    ['status_type', 'live scheduled finished cancelled interrupted deleted other'],
    ['relation_status', 'not_started in_progress finished 30_min_left 5_min_left'],
    ['bet_status', 'active suspended inactive'],
    ['item_status', 'active deleted'],
    ['clock_status', 'running stopped'],
  ])('%s is a word in any case: %s', (name, words) => {
    for (const word of words.split(' ')) expect(eventField(name, word.toUpperCase())).toEqual([word, []]);
  });

  test.each(
    tableOf(`
      status_id: "x" | "34.5" | " 2147483648" | 2147483648 | -1 | true
      clock_time: 1e999 | -1
      played_time: 12.5
      competition_id: {}
      source: -2 | "none"
      venue_id: [7]
      scoutsfeed: 2
      ut: 1125899906842624
      name: {} | 1e999 | true
      start_date: 17
      neutral_venue: "maybe" | 2 | []
      bet_status: 5 | false
      verified_result: {"by": "x"}
      series: 7
      action: "undo" | 7
      details: 7 | "none" | {"first": {"id": 16, "value": 45}}
      participants: true`),
  )('%s: %j is left out, and named', (name, given) => {
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

  test.each(
    tableOf(`
      id: " 101 " → {"id": 101}
      counter: "1.0" → {"counter": 1}
      counter: "" →
      area_id: "7" → {"area_id": 7}
      area_name: 7 → {"area_name": "7"}
      name: 7 → {"name": "7"}
      results: {} → {"results": []}
      results: null → {"results": null}
      results: {"0": {"id": 2, "value": 1}} → {"results": [{"id": 2, "value": 1}]}
      results: [{"id": 2, "value": " 3 "}] → {"results": [{"id": 2, "value": "3"}]}
      stats: {"1": {"id": 8, "value": null}} → {"stats": [{"id": 8, "value": null}]}`),
  )('with %s: %j are read', (name, given, read) => {
    const [plain] = eventField('participants', [side((read ?? { [name]: LEFT_OUT }) as object), away]);
    expect(eventField('participants', [side({ [name]: given }), away])).toEqual([plain, []]);
  });

  test.each<[path: string, changes: object, read?: object]>([
    ['counter', { counter: -1 }],
    ['acronym', { acronym: [] }],
    ['results', { results: 5 }],
    ['results.*.id', { results: [{ id: 'x', value: 3 }, { id: 4 }] }, { results: [{ id: 4 }] }],
    ['results.*', { results: [3, { id: 4 }] }, { results: [{ id: 4 }] }],
    ['results.*.value', { results: [{ id: 2, value: true }] }, { results: [{ id: 2 }] }],
    ['results.*.*', { results: [{ id: 2, value: 1, x: deep }] }, { results: [{ id: 2, value: 1 }] }],
    ['stats', { stats: 'x' }],
    ['*', { x: infinite }],
  ])('without what cannot be read, which is named: %s of %j', (path, changes, read) => {
    const none = Object.fromEntries(Object.keys(changes).map((name) => [name, LEFT_OUT]));
    const [plain] = eventField('participants', [side(read ?? none), away]);
    expect(eventField('participants', [side(changes), away])).toEqual([
      plain,
      [`event.participants.*.${path}`],
    ]);
  });
});

describe('a field of an incident', () => {
  /** Fields that a record has under another name or in another form; of the others `value` says all. */
  const parsed = (name: string, value: unknown, incident: object) => {
    const seconds = (text: string) => Number(text.slice(0, -3)) * 60 + Number(text.slice(-2));
    if (name === 'for') expect(incident).toMatchObject({ counts_for: value });
    if (name === 'event_time')
      expect(incident).toMatchObject({ event_time: typeof value === 'string' ? seconds(value) : null });
  };

  test.each(
    tableOf(`
      id: 17 → "17"
      incident_id: "413" | " 413.0" → 413
      participant_id: "102" | " 102" → 102
      participant_id: "" → null
      subparticipant_id: " 9" → 9
      incident_name: 9 → "9"
      event_status_name: 9 → "9"
      event_status_id: " 33" → 33
      event_time: "9:05" | " 09:05 " → "09:05"
      event_time: " 0:00" → "00:00"
      event_time: "120:03" → "120:03"
      event_time: "" → null
      for: "Rival" → "rival"
      for: "ALL" → "all"
      for: "Own" → "own"
      for: "None" → "none"
      for: "" → null
      confirmation: "Confirmed" → "confirmed"
      confirmation: " TBD" → "tbd"
      confirmation: "CANCELLED" → "cancelled"
      confirmation: "" → null
      important: "" → null
      important: true → "yes"
      important_for_trader: "No" → "no"
      game_break: 0 → "no"
      parent_id: 17 → "17"
      parent_id: "" → null
      attribute_ids: ["7", 8] → [7, 8]
      attribute_ids: null → []
      additional_info: {"assistant_id": " 8", "hand": "l"} → {"assistant_id": 8, "hand": "l"}
      additional_info: [] → {}
      ut: " 1790000100" → 1790000100
      ut: "" → 1790000000`),
  )('%s: %j is read as %j', (name, given, value) => {
    const read = incidentField(name, given);
    expect(read).toMatchObject({ value, unread: [] });
    parsed(name, value, read.incident);
  });

  test.each(
    tableOf(`
      participant_id: "x" → null
      subparticipant_id: {} → null
      participant_name: true → null
      event_status_id: 2147483648 → null
      event_time: 570 | "9:5" | "10:60" | "10:30:00" | "99999:00" → null
      for: "both" → null
      important: "maybe" → null
      important_for_trader: [] → null
      game_break: 2 → null
      parent_id: {} | "5-\\ud800" | 1.5 → null
      ut: "now" | 1790000000000 → 1790000000`),
  )('%s: %j is left out, and named', (name, given, value) => {
    const read = incidentField(name, given);
    const unread = [`incident.${name}`];
    expect(read).toMatchObject({ value, incident: { id: '5-110', incident_id: 413 }, unread });
    parsed(name, value, read.incident);
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
  const ofEvent = ['event.name', 'event.participants.*.name'];
  expect(unread).toEqual([...ofEvent, 'incident.*', 'incident.participant_name']);
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
    [{ id: '', uuid: 17 }, { message_id: '17', uuid: '17' }, []],
    [{ id: {}, uuid: 'u' }, { message_id: 'u' }, ['id']],
    [{ id: 5, uuid: {} }, { message_id: '5', uuid: null }, ['uuid']],
    [{ id: 5, uuid: '' }, { message_id: '5', uuid: null }, []],
    [{ ut: ' 1790000000.0 ' }, { ut: 1_790_000_000 }, []],
    [{ source: -1 }, { source: null }, []],
    [{ source: INT_MAX }, { source: INT_MAX }, []],
    [{ source: INT_MAX + 1 }, { source: null }, []],
  ])('with %j is read', (changes, read, unread) => {
    expect(normalized(eventMessage(changes))).toMatchObject({ ...read, unread });
  });
});

const read = (data: unknown) => normalized({ id: 1, type: 'events_lineups', ut: 5, data });

test.each<[data: object, unread: string[]]>([
  [{ event: { id: ' 7 ' } }, []],
  [{ event_id: 7 }, []],
  [{ event: 5, event_id: 7 }, ['data.event']],
  [{ event: { id: 'x' }, id: 7 }, ['data.event.id']],
  [{ event: { id: 7 }, event_id: {} }, ['data.event_id']],
  [{ event: { id: 7 }, id: 'x' }, ['data.id']],
])('a keep-alive or line-up with the data %j is read', (data, unread) => {
  const message = read(data);
  expect([message.event_id, otherFields(message.other), message.unread]).toEqual([7, data, unread]);
});
