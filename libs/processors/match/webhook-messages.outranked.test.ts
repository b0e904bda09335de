import { describe, expect, test } from 'vitest';
import { AWAY, EVENT_ID, eventMessage, HOME, START } from '#domain/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { JsonObject } from '#json/values.ts';
import { jsonOf, send } from './testing/composed.ts';

describe('the event of a message that another one of its second outranks', () => {
  const HOME_SIDE = { counter: 1, id: HOME, name: 'Home' };
  const AWAY_SIDE = { counter: 2, id: AWAY, name: 'Away' };
  const results = [{ id: 2, value: '1' }];
  const [homeWon, awayWon] = [
    { ...HOME_SIDE, results },
    { ...AWAY_SIDE, results },
  ];

  /** Returns the event sent for the second of two messages of one second, of which the first has the higher id. */
  function sentEvent(former: JsonObject, later: JsonObject): unknown {
    const { messages } = send([
      { ...eventMessage(START, former), message_id: '9' },
      { ...eventMessage(START, later), message_id: '8' },
    ]);
    expect(messages).toHaveLength(2);
    return messages.map(jsonOf)[1]?.data.event;
  }

  test('has only the fields that the other one does not report', () => {
    const later = { status_id: 33, name: 'B - A', clock_time: 60, odd: null };
    const sent = { id: EVENT_ID, action: 'update', clock_time: 60, odd: null };
    expect(sentEvent({ status_id: 34, name: 'A - B' }, later)).toEqual(sent);
  });

  test('keeps its action', () => {
    expect(sentEvent({ action: 'delete' }, { action: 'delete', clock_time: 60 })).toEqual({
      id: EVENT_ID,
      action: 'delete',
      clock_time: 60,
    });
  });

  test.each<[why: string, former: unknown[], later: unknown[], sent: unknown[] | undefined]>([
    [
      'both sides, as both are reported',
      [homeWon, awayWon],
      [
        { ...homeWon, name: 'H' },
        { ...AWAY_SIDE, name: 'A' },
      ],
      undefined,
    ],
    ['the side that is reported', [homeWon], [null, homeWon, awayWon], [awayWon]],
    ['the results that are reported', [{ counter: 1, results }], [homeWon, awayWon], [HOME_SIDE, awayWon]],
    [
      'all but the results that are not reported, under a counter that is text too',
      [HOME_SIDE],
      [{ ...homeWon, counter: '1' }, AWAY_SIDE],
      [{ counter: 1, results }, AWAY_SIDE],
    ],
  ])('leaves out %s', (_, former, later, sent) => {
    expect(sentEvent({ participants: former }, { participants: later, clock_time: 60 })).toEqual({
      id: EVENT_ID,
      action: 'update',
      clock_time: 60,
      ...(sent === undefined
        ? {}
        : { participants: sent.map((side) => ({ results: [], stats: [], ...(side as object) })) }),
    });
  });

  /** An incident without a phase; another message of its second has the status 142. */
  const kick = (id: number, status: number) => ({
    id,
    type: 'incident',
    ut: START,
    data: {
      incident: { id: '5-1', action: 'insert', incident_id: 413, participant_id: HOME },
      event: { id: EVENT_ID, action: 'update', status_id: status },
    },
  });
  const waiting = { ...eventMessage(START, { status_id: 142 }), message_id: '9' };

  test.each([
    ['is a kick by the status of its event', 10, 141, 141],
    ['is a kick by the status of its event, which is left out', 8, 141, 141],
    ['has no phase', 10, 33, null],
  ])('is sent with an incident that %s, so that a receiver reads the same phase', (_, id, status, phase) => {
    const cause = normalized(kick(id, status));
    const sent = send([waiting, cause]).messages.map(jsonOf)[1];
    expect(sent?.data.incident).toMatchObject({ id: '5-1', action: 'insert', event_status_id: phase });
    expect(normalized(sent).incident?.incident.event_status_id).toBe(
      cause.incident?.incident.event_status_id,
    );
  });
});
