import { describe, expect, test } from 'vitest';
import { DomainError } from './errors.ts';
import { applyMessage, matchIncident, matchState, newMatch } from './match.ts';
import {
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  START,
} from './testing/messages.ts';
import { given, played } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());

describe('the state of a match', () => {
  test('tells apart incident ids that are names of object members', () => {
    const { state } = given(
      opening,
      incidentMessage(incident('__proto__', 413, { confirmation: 'cancelled' })),
    );
    expect(Object.entries(state.void_goals)).toEqual([['__proto__', 'cancelled']]);
  });
});

describe('a message', () => {
  test.each(['event_keep_alive', 'events_lineups'] as const)('%s does not change the state', (type) => {
    const match = played([opening]);
    const before = JSON.stringify(matchState(match));
    const message = { ...eventMessage(START + 60, { name: 'B - A' }), type, body: '{}' };
    expect(applyMessage(match, message, causeOf(message, 1))).toEqual({
      transitions: [],
      incidents: [],
      result: false,
      inPlay: false,
    });
    expect(JSON.stringify(matchState(match))).toBe(before);
  });

  test('of another event is rejected, and changes nothing', () => {
    const message = { ...eventMessage(START + 60, { name: 'B - A' }), event_id: EVENT_ID + 1 };
    const match = played([opening]);
    const before = JSON.stringify(matchState(match));
    const refusal = expect(() => applyMessage(match, message, causeOf(message, 1)));
    refusal.toThrow(DomainError);
    refusal.toThrow(expect.objectContaining({ code: 'WRONG_EVENT' }));
    expect(JSON.stringify(matchState(match))).toBe(before);
  });
});

describe('a match', () => {
  test('has no state before the first message, and no unknown incident', () => {
    const match = newMatch(EVENT_ID);
    const nothing = { code: 'NOTHING_REPORTED', message: `no message of event ${EVENT_ID} was applied` };
    expect(() => matchState(match)).toThrow(expect.objectContaining(nothing));
    const unknown = { code: 'UNKNOWN_INCIDENT', message: `event ${EVENT_ID} has no incident 5-1` };
    expect(() => matchIncident(match, '5-1')).toThrow(expect.objectContaining(unknown));
  });
});
