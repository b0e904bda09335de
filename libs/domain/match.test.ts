import { describe, expect, test } from 'vitest';
import { applyMessage, countAfter, DomainError, matchIncident, matchState, newMatch } from './match.ts';
import {
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given, played } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());

test('tells apart incident ids that are names of object members', () => {
  const goal = incidentMessage(incident('__proto__', 413, { confirmation: 'cancelled' }));
  expect(Object.entries(given(opening, goal).state.void_goals)).toEqual([['__proto__', 'cancelled']]);
});

describe('a message', () => {
  test.each(['event_keep_alive', 'events_lineups'] as const)('%s does not change the state', (type) => {
    const match = played([opening]);
    const before = JSON.stringify(matchState(match));
    const message = { ...eventMessage(START + 60, { name: 'B - A' }), type, body: '{}' };
    const unchanged = { transitions: [], incidents: [], result: false, inPlay: false };
    expect(applyMessage(match, message, causeOf(message, 1))).toEqual(unchanged);
    expect(JSON.stringify(matchState(match))).toBe(before);
  });

  test('of another event is rejected, and changes nothing', () => {
    const message = { ...eventMessage(START + 60, { name: 'B - A' }), event_id: EVENT_ID + 1 };
    const match = played([opening]);
    const before = JSON.stringify(matchState(match));
    const refusal = expect(() => applyMessage(match, message, causeOf(message, 1)));
    refusal.toThrow(DomainError);
    const text = `a message of event ${EVENT_ID + 1} for event ${EVENT_ID}`;
    refusal.toThrow(expect.objectContaining({ code: 'WRONG_EVENT', message: text }));
    expect(JSON.stringify(matchState(match))).toBe(before);
  });

  test.each(['live', 'finished'])('says whether the match is in play: %s', (status_type) => {
    const message = eventMessage(START, eventFields({ status_type }));
    expect(applyMessage(newMatch(EVENT_ID), message, causeOf(message, 0)).inPlay).toBe(
      status_type === 'live',
    );
  });
});

describe('a match', () => {
  test('counts the incidents that it may have after a message, and those that decide', () => {
    const one = (id: string, type = 400) => incident(id, type);
    const cards = [one('5-3', 413), one('5-4', 424), one('5-5', 418), one('5-6', 419)];
    const match = played([opening, snapshotMessage(START, [one('5-1'), one('5-2'), ...cards])]);
    expect(countAfter(match, incidentMessage(one('5-1')))).toEqual({ incidents: 6, decisive: 4 });
    expect(countAfter(match, incidentMessage(one('5-9', 413)))).toEqual({ incidents: 7, decisive: 5 });
    const list = snapshotMessage(START, [one('5-1', 418), one('5-3', 423), one('5-7', 424), one('5-7', 424)]);
    const deleted = [one('5-8'), one('5-9', 413), one('5-a')];
    expect(countAfter(match, { ...list, deleted })).toEqual({ incidents: 10, decisive: 7 });
    expect(countAfter(match, opening)).toEqual({ incidents: 6, decisive: 4 });
  });

  test('has no state before the first message, and no unknown incident', () => {
    const match = newMatch(EVENT_ID);
    const nothing = { code: 'NOTHING_REPORTED', message: `no message of event ${EVENT_ID} was applied` };
    expect(() => matchState(match)).toThrow(expect.objectContaining(nothing));
    const unknown = { code: 'UNKNOWN_INCIDENT', message: `event ${EVENT_ID} has no incident 5-1` };
    expect(() => matchIncident(match, '5-1')).toThrow(expect.objectContaining(unknown));
  });
});
