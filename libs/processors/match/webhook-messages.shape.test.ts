import { describe, expect, test } from 'vitest';
import { applyMessage, newMatch } from '#domain/match.ts';
import {
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { JsonObject } from '#json/values.ts';
import type { NormalizedMessage, WebhookMessage } from '#records/types.ts';
import { jsonOf, send } from './testing/composed.ts';
import { compose } from './webhook-messages.ts';

describe('the messages', () => {
  const goal = incident('5-1', 413, { ut: START });
  const times = (messages: readonly WebhookMessage[]) =>
    messages.map((message) => {
      const { ut, data } = jsonOf(message);
      const history = data.incident as JsonObject | undefined;
      return [history?.action ?? message.type, history?.ut ?? ut];
    });

  const at = (seconds: number) => incident('5-1', 413, { ut: START + seconds });
  const other = incident('5-2', 400, { ut: START });
  const lags = [incidentMessage(goal), incidentMessage(other), snapshotMessage(START + 60, [other])];
  const listedWithDelete = {
    ...snapshotMessage(START + 60, [at(55), other]),
    deleted: [at(70)],
  };
  const listed = [incidentMessage(goal), snapshotMessage(START + 60, [goal])];
  const overruled = [...listed, incidentMessage(at(20), { deleted: true })];

  /** What is sent of the last message or messages, from the number `from` on: action and seconds after the start. */
  test.each<[string, NormalizedMessage[], from: number, ...sent: [string, number][]]>([
    ['an accepted message are one, of a duplicate none', [incidentMessage(goal), incidentMessage(goal)], 1],
    [
      'an incident that a list omits for long are a delete as late as its absence is proven',
      [incidentMessage(goal), snapshotMessage(START + 80, [other])],
      1,
      ['delete', 5],
      ['insert', 0],
    ],
    ['an incident that is missing in a list are none', lags, 2],
    ['one that is found again are its record', [...lags, incidentMessage(at(59))], 2, ['update', 59]],
    [
      'an incident that a list has and names as deleted are its new record between two deletes',
      [incidentMessage(goal), incidentMessage(other), listedWithDelete],
      2,
      ['delete', 70],
      ['update', 55],
      ['delete', 70],
    ],
    [
      'a message that could not be read are none',
      [{ ...eventMessage(START, {}), unreadable: 'incident.id is missing' }],
      0,
    ],
    [
      'a late record of a removed incident begin and end with a delete, so that it is never shown',
      [snapshotMessage(START + 100, [other]), incidentMessage(at(10)), incidentMessage(at(20))],
      1,
      ...[10, 20].flatMap((ut): [string, number][] => [
        ['delete', 25],
        ['update', ut],
        ['delete', 25],
      ]),
    ],
    ...[10, 20].map((ut): [string, NormalizedMessage[], number, [string, number]] => [
      `a record of ${ut} that only a list shows to be present have the time of that list`,
      [...overruled, incidentMessage(at(ut))],
      1,
      ['update', 60],
    ]),
  ])('of %s', (_, history, from, ...sent) => {
    const expected = sent.map(([action, seconds]) => [action, START + seconds]);
    expect(times(send(history).messages.slice(from))).toEqual(expected);
  });

  test('of deletes beside a list are one for each incident, with the time of its latest', () => {
    const gone = (id: string, seconds: number) => incident(id, 413, { ut: START + seconds });
    const deleted = [gone('5-3', 30), gone('5-4', 40), gone('5-4', 50)];
    const list = { ...snapshotMessage(START + 60, [other]), deleted };
    expect(send([list]).messages.map((sent) => jsonOf(sent).data.incident)).toMatchObject([
      { id: '5-2', action: 'insert', ut: START },
      { id: '5-3', action: 'delete', ut: START + 30 },
      { id: '5-4', action: 'delete', ut: START + 50 },
    ]);
  });

  test('of a delete that a later list has overruled are its event, if it has one', () => {
    const { messages } = send([
      ...listed,
      incidentMessage(at(20), { deleted: true, fields: { status_id: 34 } }),
    ]);
    expect(messages.slice(1).map(jsonOf)).toMatchObject([
      { type: 'event', ut: START + 20, data: { event: { action: 'update', status_id: 34 } } },
    ]);
    expect(messages[1]?.message.includes('"incident"')).toBe(false);
  });

  test('of an event message are one, whatever it changed, with the competition of the match', () => {
    const changed = { status_id: 34, bet_status: 'suspended', clock_status: 'stopped' };
    const { messages } = send([eventMessage(START, eventFields()), eventMessage(START + 9, changed)]);
    const [first, second] = messages.map((sent) => jsonOf(sent) as object);
    const head = { type: 'event', source: -1 };
    expect(first).toMatchObject({ ...head, uuid: `${EVENT_ID}:1:0`, ut: START });
    const data = { event: { id: EVENT_ID, action: 'update', ...changed } };
    expect(second).toEqual({ ...head, id: messages[1]?.id, uuid: `${EVENT_ID}:2:0`, ut: START + 9, data });
    const fields = messages.map(({ type, ut, competition_id }) => [type, ut, competition_id]);
    expect(fields).toEqual([
      ['event', START, 6628],
      ['event', START + 9, 6628],
    ]);
  });

  test('have the time of their event, and without one that of their record', () => {
    const late = (fields?: JsonObject) => ({
      ...incidentMessage(goal, fields === undefined ? {} : { fields }),
      ut: START + 3,
    });
    const timesOf = (message: NormalizedMessage) =>
      send([message]).messages.map((sent) => [sent.ut, jsonOf(sent).ut, ...times([sent])]);
    expect(timesOf(late(eventFields()))).toEqual([[START + 3, START + 3, ['insert', START]]]);
    expect(timesOf(late())).toEqual([[START + 3, START, ['insert', START]]]);
  });

  test('have no id where it would be no number below 2^53', () => {
    const message = eventMessage(START, eventFields());
    const [transition] = applyMessage(newMatch(EVENT_ID), message, causeOf(message, 0)).transitions;
    if (transition === undefined) throw new Error('nothing changed');
    const [sent] = compose({ ...transition, event_id: 2 ** 26 }, message, null).messages;
    expect(sent).toMatchObject({ id: null, uuid: `${2 ** 26}:1:0` });
    expect(sent?.message.toString()).toMatch(/^\{"uuid":"67108864:1:0",/);
  });

  test('have the provider’s shape, and normalize to the received message', () => {
    const provider = {
      id: 35375779,
      type: 'incident',
      source: 7,
      ut: START,
      data: {
        incident: {
          id: '5-1',
          action: 'insert',
          incident_id: 413,
          event_time: '10:00',
          event_status_id: 33,
          confirmation: 'tbd',
          participant_id: 51447,
          participant_name: 'A “name”',
          attribute_ids: [],
        },
        event: {
          id: EVENT_ID,
          action: 'insert',
          status_id: 33,
          status_type: 'live',
          competition_id: 6628,
          clock_time: 600,
          clock_status: 'running',
          details: [{ id: 16, value: 45 }],
          odd: null,
          participants: [{ id: 51447, counter: 1, results: [{ id: 2, value: null }], stats: [] }],
        },
      },
    };
    const cause = normalized(provider);
    const [sent] = send([cause]).messages;
    if (sent === undefined) throw new Error('nothing was sent');
    const { incident, ...message } = normalized(jsonOf(sent));
    const flags = { game_break: false, important: true, important_for_trader: true };
    expect({ ...message, incident: { ...incident?.incident, message_id: null } }).toEqual({
      ...cause,
      message_id: String(sent.id),
      uuid: sent.uuid,
      incident: { ...cause.incident?.incident, message_id: null, ...flags },
    });
    expect(incident).toMatchObject({ deleted: false, incident: { message_id: sent.id } });
    const { incident: history, event } = provider.data;
    const [side] = event.participants;
    expect(jsonOf(sent)).toEqual({
      ...provider,
      id: sent.id,
      uuid: sent.uuid,
      data: {
        incident: {
          ...history,
          ut: START,
          subparticipant_id: null,
          subparticipant_name: null,
          incident_name: null,
          event_status_name: null,
          for: null,
          parent_id: null,
          additional_info: null,
          game_break: 'no',
          important: 'yes',
          important_for_trader: 'yes',
        },
        event: { ...event, details: [{ id: 16, value: '45' }], participants: [side] },
      },
    });
    expect(sent.competition_id).toBe(6628);
  });
});
