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

  test('of an accepted message are one, whatever it changed; of a duplicate none', () => {
    const { messages } = send([incidentMessage(goal), incidentMessage(goal)]);
    expect(times(messages)).toEqual([['insert', START]]);
    expect(messages[0]).toMatchObject({ uuid: `${EVENT_ID}:1:0`, type: 'incident', version: 1, ut: START });
  });

  const other = incident('5-2', 400, { ut: START });

  test('of an incident that a list omits for long are a delete as late as its absence is proven', () => {
    const { messages } = send([incidentMessage(goal), snapshotMessage(START + 80, [other])]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['delete', START + 5],
      ['insert', START],
    ]);
  });

  test('of an incident that is missing in a list are none, and of one that is found again its record', () => {
    const lags = [incidentMessage(goal), incidentMessage(other), snapshotMessage(START + 60, [other])];
    expect(times(send(lags).messages)).toEqual([
      ['insert', START],
      ['insert', START],
    ]);
    expect(
      times(send([...lags, incidentMessage(incident('5-1', 413, { ut: START + 59 }))]).messages.slice(2)),
    ).toEqual([['update', START + 59]]);
  });

  test('of deletes beside a list are one for each incident, with the time of its latest', () => {
    const deleted = [
      incident('5-3', 413, { ut: START + 30 }),
      incident('5-4', 413, { ut: START + 40 }),
      incident('5-4', 413, { ut: START + 50 }),
    ];
    const { messages } = send([{ ...snapshotMessage(START + 60, [other]), deleted }]);
    expect(messages.map(jsonOf).map(({ data }) => data.incident as JsonObject)).toMatchObject([
      { id: '5-2', action: 'insert', ut: START },
      { id: '5-3', action: 'delete', ut: START + 30 },
      { id: '5-4', action: 'delete', ut: START + 50 },
    ]);
  });

  test('of an incident that a list has and names as deleted are its new record between two deletes', () => {
    const list = {
      ...snapshotMessage(START + 60, [incident('5-1', 413, { ut: START + 55 }), other]),
      deleted: [incident('5-1', 413, { ut: START + 70 })],
    };
    const { messages } = send([incidentMessage(goal), incidentMessage(other), list]);
    expect(times(messages.slice(2))).toEqual([
      ['delete', START + 70],
      ['update', START + 55],
      ['delete', START + 70],
    ]);
  });

  test('of a message that could not be read are none', () => {
    const unreadable = { ...eventMessage(START, {}), unreadable: 'incident.id is missing' };
    expect(send([unreadable]).messages).toEqual([]);
  });

  test('of a late record of a removed incident begin and end with a delete, so that it is never shown', () => {
    const { messages } = send([
      snapshotMessage(START + 100, [other]),
      incidentMessage(incident('5-1', 413, { ut: START + 10 })),
      incidentMessage(incident('5-1', 413, { ut: START + 20 })),
    ]);
    expect(times(messages.slice(1))).toEqual([
      ['delete', START + 25],
      ['update', START + 10],
      ['delete', START + 25],
      ['delete', START + 25],
      ['update', START + 20],
      ['delete', START + 25],
    ]);
  });

  const listed = [incidentMessage(goal), snapshotMessage(START + 60, [goal])];
  const earlier = incident('5-1', 413, { ut: START + 20 });
  const overruled = [...listed, incidentMessage(earlier, { deleted: true })];

  test('of a delete that a later list has overruled are its event, if it has one', () => {
    const { messages } = send([
      ...listed,
      incidentMessage(earlier, { deleted: true, fields: { status_id: 34 } }),
    ]);
    expect(messages.slice(1).map(jsonOf)).toMatchObject([
      { type: 'event', ut: START + 20, data: { event: { action: 'update', status_id: 34 } } },
    ]);
    expect(messages[1]?.message.includes('"incident"')).toBe(false);
  });

  test.each([10, 20])(
    'of a record that only a list shows to be present have the time of that list (%d)',
    (seconds) => {
      const record = incidentMessage(incident('5-1', 413, { ut: START + seconds }));
      expect(times(send([...overruled, record]).messages.slice(1))).toEqual([['update', START + 60]]);
    },
  );

  /** The event as it is sent: every side with its lists. */
  const sentEvent = (action: string, fields: Record<string, unknown>) => ({
    id: EVENT_ID,
    action,
    ...fields,
    participants: (fields.participants as object[]).map((side) => ({ results: [], stats: [], ...side })),
  });

  test('of an event message are one, whatever it changed', () => {
    const changed = eventFields({ status_id: 34, bet_status: 'suspended', clock_status: 'stopped' });
    const { messages } = send([eventMessage(START, eventFields()), eventMessage(START + 9, changed)]);
    const events = [sentEvent('insert', eventFields()), sentEvent('update', changed)];
    const sent = events.map((event, n) => ({
      id: messages[n]?.id,
      uuid: `${EVENT_ID}:${n + 1}:0`,
      type: 'event',
      source: -1,
      ut: START + 9 * n,
      data: { event },
    }));
    expect(messages.map(jsonOf)).toEqual(sent);
    expect(messages.map(({ type, ut }) => [type, ut])).toEqual([
      ['event', START],
      ['event', START + 9],
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

  test('have the competition of the match where their own event does not name it', () => {
    const { messages } = send([
      eventMessage(START, eventFields()),
      eventMessage(START + 9, { status_id: 34 }),
    ]);
    expect(messages.map(({ competition_id }) => competition_id)).toEqual([6628, 6628]);
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
