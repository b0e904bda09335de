import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { DomainError } from './errors.ts';
import { applyMessage, matchIncident, matchState, newMatch } from './match.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  HOME,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given, played } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());

describe('the state of a match', () => {
  test('shows the reported values and what derives from them', () => {
    const { clock_time: _, clock_status: __, participants: ___, ...shown } = eventFields();
    const goal = incidentMessage(incident('5-110', 413, { ut: START + 60 }), {
      fields: { clock_time: 60, participants: participants('1', 0) },
    });
    expect(given(opening, incidentMessage(incident('5-100', 429)), goal).state).toEqual({
      event_id: EVENT_ID,
      version: 3,
      ...shown,
      clock: { time: 60, status: 'running', ut: START + 60 },
      home: { id: HOME, name: 'Home', short_name: 'Home', acronym: 'HOM' },
      away: { id: AWAY, name: 'Away', short_name: 'Away', acronym: 'AWA' },
      score: { home: 1, away: 0 },
      firm: { home: 1, away: 0 },
      shoot_out: null,
      source: 'incidents',
      coverage: 'complete',
      reported: { home: 1, away: 0 },
      agreement: 'agrees',
      under_review: false,
      counting_goals: ['5-110'],
      void_goals: {},
      orphans: [],
      removed: [],
      anomalies: [],
      guard: { safe: true, reasons: [] },
      verified_result: null,
      snapshot_at: null,
      fields: [
        {
          ut: START,
          message_id: null,
          progress: 2,
          text: canonicalJson(eventFields()),
          json:
            '{"bet_status":"active","clock_status":"running","competition_id":6628,"group_id":null,"name":"Home - Away",' +
            '"relation_status":"in_progress","season_id":25528,"sport_id":5,"stage_id":76600,' +
            '"start_date":"2026-08-15 15:00","status_id":33,"status_type":"live"}',
        },
        {
          ut: START + 60,
          message_id: null,
          progress: 0,
          text: null,
          json: expect.stringMatching(/^\{"clock_time":60,"participants":\[\{"acronym":"HOM"/),
        },
      ],
      cause: causeOf(goal, 2),
      key_incidents: [
        {
          id: '5-110',
          incident_type: 413,
          team_id: HOME,
          player_id: null,
          player_name: null,
          minute: '10',
          in_shoot_out: false,
          counts_for_id: HOME,
          stands: true,
        },
      ],
      derived: { home: 1, away: 0 },
      missing: [],
      void_by: {},
      unread: [],
      unread_at: null,
      first_finished: null,
      first_started: { ut: START, message_id: null },
      last_scheduled: null,
      absence: null,
    });
  });

  test('is decided again by the end alone, and by the sport alone', () => {
    const known = [
      eventMessage(START, { participants: participants(2, 0) }),
      snapshotMessage(START, [incident('5-100', 429), incident('5-110', 413)]),
    ];
    expect(given(...known).state).toMatchObject({ score: { home: 1, away: 0 }, source: 'incidents' });
    const over = eventMessage(START + 1, { status_id: 11, status_type: 'finished' });
    expect(given(...known).when(over).state).toMatchObject({
      score: { home: 2, away: 0 },
      source: 'reported',
    });
    const other = eventMessage(START + 1, { sport_id: 1 });
    expect(given(...known).when(other).state).toMatchObject({ source: 'reported', derived: null });
  });

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
    });
    expect(JSON.stringify(matchState(match))).toBe(before);
  });

  test.each([
    {
      code: 'WRONG_EVENT',
      message: { ...eventMessage(START + 60, { name: 'B - A' }), event_id: EVENT_ID + 1 },
    },
    {
      code: 'UNREADABLE_EVENT',
      message: {
        ...incidentMessage(incident('5-1', 413)),
        event_fields: ['{"name":"B - A"}', '{"clock_time":'],
      },
    },
  ])('that is rejected with $code changes nothing', ({ code, message }) => {
    const match = played([opening]);
    const before = JSON.stringify(matchState(match));
    const refusal = expect(() => applyMessage(match, message, causeOf(message, 1)));
    refusal.toThrow(DomainError);
    refusal.toThrow(expect.objectContaining({ code }));
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
