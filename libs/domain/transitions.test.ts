import { describe, expect, test } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import {
  EVENT_ID,
  eventFields,
  eventMessage,
  HOME,
  type IncidentOptions,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './testing/messages.ts';
import { given } from './testing/spec.ts';

const opening = eventMessage(START, eventFields());
const kickOff = incidentMessage(incident('5-100', 429));
const incidentOf = (id: string, type: number, options?: IncidentOptions) =>
  incidentMessage(incident(id, type, options));
const later = (seconds: number) => ({ ut: START + seconds });

describe('the transitions of an incident (law 10)', () => {
  const reported = (options?: IncidentOptions) => incidentOf('5-1', 400, options);
  const deleted = (options?: IncidentOptions) =>
    incidentMessage(incident('5-1', 400, options), { deleted: true });
  const known = reported();
  const known9 = reported({ message_id: 9 });
  const phased = incidentMessage(incident('5-1', 400, { event_status_id: 34 }));
  type Messages = readonly NormalizedMessage[];
  test.each<[why: string, before: Messages, message: NormalizedMessage, kinds: readonly string[]]>([
    ['its first body', [], known, ['incident_added']],
    ['its first body, cancelled', [], reported({ confirmation: 'cancelled' }), ['incident_added']],
    ['it became confirmed', [reported({ confirmation: 'tbd' })], reported(later(1)), ['incident_confirmed']],
    [
      'it became cancelled',
      [known],
      reported({ ...later(1), confirmation: 'cancelled' }),
      ['incident_cancelled'],
    ],
    [
      'it awaits confirmation again',
      [known],
      reported({ ...later(1), confirmation: 'tbd' }),
      ['incident_amended'],
    ],
    ['another body', [known], reported({ participant_id: null }), ['incident_amended']],
    ['the same, reported later', [known], reported(later(1)), ['incident_amended']],
    ['deleted', [known], deleted(later(1)), ['incident_removed']],
    ['deleted, but reported since', [known], deleted(later(-1)), ['incident_amended']],
    ['deleted before it was reported', [], deleted(), ['incident_deleted_unseen']],
    [
      'reported again after its delete',
      [known, deleted(later(1))],
      reported(later(2)),
      ['incident_reinstated'],
    ],
    [
      'reported again after its delete, as cancelled',
      [known, deleted(later(1))],
      reported({ ...later(2), confirmation: 'cancelled' }),
      ['incident_reinstated', 'incident_cancelled'],
    ],
    ['a copy', [known], known, []],
    ['the same, by a later message of its second', [known9], reported({ message_id: 10 }), ['event_amended']],
    ['the same with a later phase', [known], phased, ['incident_amended']],
    ['an older record', [known], reported(later(-1)), []],
  ])('%s', (_, before, message, kinds) => {
    const outcome = given(opening, kickOff, ...before).when(message);
    expect(outcome.kinds).toEqual(kinds);
    const ids = outcome.transitions.map(({ incident_id }) => incident_id);
    expect(ids).toEqual(kinds.map((kind) => (kind === 'event_amended' ? null : '5-1')));
    expect(outcome.incidents).toEqual(kinds.length === 0 ? [] : ['5-1']);
  });

  test('have its type, if it has a body', () => {
    expect(given(opening).when(known).transitions[0]).toMatchObject({ incident_type: 400 });
    expect(given(opening).when(deleted()).transitions[0]).toMatchObject({ incident_type: null });
  });
});

describe('the transitions of goals and scores (law 10)', () => {
  const goal = incidentOf('5-110', 413);

  test('a goal', () => {
    const outcome = given(opening, kickOff).when(goal);
    expect(outcome.kinds).toEqual(['incident_added', 'score_changed', 'firm_score_changed']);
    const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 0 } };
    expect(outcome.transitions.slice(1)).toMatchObject([
      { score, goals: [{ id: '5-110', team_id: HOME, counts_for_id: HOME, stands: true }] },
      { score, goals: [] },
    ]);
  });

  test('a goal that awaits confirmation, and its confirmation', () => {
    const tbd = incidentOf('5-110', 413, { confirmation: 'tbd' });
    expect(given(opening, kickOff).when(tbd).kinds).toEqual([
      'incident_added',
      'score_changed',
      'guard_changed',
    ]);
    expect(given(opening, kickOff, tbd).when(incidentOf('5-110', 413, later(9))).kinds).toEqual([
      'incident_confirmed',
      'firm_score_changed',
      'guard_changed',
    ]);
  });

  test.each([
    {
      how: 'cancelled',
      message: incidentOf('5-110', 413, { ...later(60), confirmation: 'cancelled' }),
      first: 'incident_cancelled',
    },
    {
      how: 'deleted',
      message: incidentMessage(incident('5-110', 413, later(60)), { deleted: true }),
      first: 'incident_removed',
    },
    { how: 'named by a 424', message: incidentOf('5-120', 424, later(60)), first: 'incident_added' },
  ])('a goal that is $how', ({ message, first }) => {
    const outcome = given(opening, kickOff, goal).when(message);
    expect(outcome.kinds).toEqual([first, 'goal_cancelled', 'score_changed', 'firm_score_changed']);
    const score = { before: { home: 1, away: 0 }, after: { home: 0, away: 0 } };
    expect(outcome.transitions[1]).toMatchObject({ incident_id: '5-110', incident_type: 413, score });
    expect(outcome.transitions[2]).toMatchObject({ score, goals: [] });
  });

  test('no goal if the score is the reported one', () => {
    const first = given(eventMessage(START, eventFields({ participants: participants(0, 0) })));
    const both = incidentMessage(incident('5-110', 413, later(60)), {
      fields: eventFields({ participants: participants(1, 0) }),
    });
    expect(first.when(both).transitions.find(({ kind }) => kind === 'score_changed')).toMatchObject({
      score: { after: { home: 1, away: 0 } },
      goals: [],
    });
  });

  test('none for a void goal that is void in another way', () => {
    const cancelled = incidentOf('5-110', 413, { ...later(60), confirmation: 'cancelled' });
    expect(given(opening, kickOff, goal, cancelled).when(incidentOf('5-120', 424, later(90))).kinds).toEqual([
      'incident_added',
    ]);
  });

  test('a goal that is reinstated', () => {
    const cancels = incidentOf('5-120', 424, later(60));
    const back = incidentOf('5-120', 424, { ...later(90), confirmation: 'cancelled' });
    const outcome = given(opening, kickOff, goal, cancels).when(back);
    expect(outcome.kinds).toEqual([
      'incident_cancelled',
      'goal_reinstated',
      'score_changed',
      'firm_score_changed',
    ]);
    const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 0 } };
    expect(outcome.transitions.slice(1, 3)).toMatchObject([
      { incident_id: '5-110', score },
      { score, goals: [{ id: '5-110', team_id: HOME, counts_for_id: HOME, stands: true }] },
    ]);
  });

  test('none for a void goal that turns out to be no goal', () => {
    const cancelled = incidentOf('5-110', 413, { confirmation: 'cancelled' });
    expect(given(opening, kickOff, cancelled).when(incidentOf('5-110', 419, later(60))).kinds).toEqual([
      'incident_confirmed',
    ]);
  });
});

describe('the transitions of a snapshot (law 10)', () => {
  const first = incident('5-100', 429);

  test('that it was applied, once', () => {
    const snapshot = snapshotMessage(START + 60, [first]);
    const outcome = given(opening, kickOff).when(snapshot);
    expect(outcome.kinds).toEqual(['snapshot_applied']);
    expect(outcome.incidents).toEqual(['5-100']);
    expect(given(opening, kickOff, snapshot).when(snapshot)).toMatchObject({ kinds: [], incidents: [] });
  });

  test('that an incident went missing, was listed again, and was removed', () => {
    const both = [incident('5-100', 429), incident('5-2', 400)];
    const [kickedOff, other] = both.map((one) => incidentMessage(one)) as [
      NormalizedMessage,
      NormalizedMessage,
    ];
    const lags = snapshotMessage(START + 60, [first]);
    const missing = given(opening, kickedOff, other).when(lags);
    expect(missing.kinds).toEqual(['incident_missing', 'snapshot_applied']);
    const listed = given(opening, kickedOff, other, lags).when(snapshotMessage(START + 61, both));
    expect(listed.kinds).toEqual(['incident_listed', 'snapshot_applied']);
    const reported = given(opening, kickedOff, other, lags).when(incidentOf('5-2', 400, later(60)));
    expect(reported.kinds).toEqual(['incident_amended', 'incident_listed']);
    const removed = given(opening, kickedOff, other, lags).when(snapshotMessage(START + 75, [first]));
    expect(removed.kinds).toEqual(['incident_removed', 'snapshot_applied']);
  });

  test('that an incident was removed, or is missing, from the start', () => {
    const list = snapshotMessage(START + 100, [first]);
    expect(given(opening, list).when(incidentOf('5-2', 400, later(25))).kinds).toEqual([
      'incident_added',
      'incident_removed',
    ]);
    expect(given(opening, list).when(incidentOf('5-2', 400, later(26))).kinds).toEqual([
      'incident_added',
      'incident_missing',
    ]);
  });

  test('that a goal went missing: its score stays, but is not firm', () => {
    const outcome = given(opening, kickOff, incidentOf('5-110', 413)).when(
      snapshotMessage(START + 60, [first]),
    );
    expect(outcome.kinds).toEqual([
      'incident_missing',
      'firm_score_changed',
      'snapshot_applied',
      'guard_changed',
    ]);
  });

  test('after those of the incidents that it added or removed, by id', () => {
    const outcome = given(opening, kickOff, incidentOf('5-2', 413)).when(
      snapshotMessage(START + 75, [first, incident('5-150', 400), incident('5-20', 400)]),
    );
    expect(outcome.transitions.map(({ kind, incident_id }) => [kind, incident_id])).toEqual([
      ['incident_added', '5-150'],
      ['incident_removed', '5-2'],
      ['incident_added', '5-20'],
      ['goal_cancelled', '5-2'],
      ['score_changed', null],
      ['firm_score_changed', null],
      ['snapshot_applied', null],
    ]);
    expect(outcome.incidents).toEqual(['5-100', '5-150', '5-2', '5-20']);
  });
});

describe('a version (law 10)', () => {
  test('emits all transitions of one message in order, each with its own id', () => {
    const { transitions } = given(opening, kickOff).when(
      incidentMessage(incident('5-110', 413, { ...later(60), confirmation: 'tbd' }), {
        fields: {
          ...eventFields({ clock_time: 60 }),
          status_id: 9,
          clock_status: 'stopped',
          bet_status: 'suspended',
          verified_result: 'yes',
          name: 'B - A',
        },
      }),
    );
    expect(transitions.map(({ id, kind }) => [id, kind])).toEqual(
      [
        'incident_added',
        'score_changed',
        'status_changed',
        'clock_changed',
        'bet_status_changed',
        'result_verified',
        'event_amended',
        'guard_changed',
      ].map((kind, n) => [`${EVENT_ID}:3:${n}`, kind]),
    );
    for (const transition of transitions) {
      expect(transition).toMatchObject({ event_id: EVENT_ID, version: 3, cause: { offset: 2 } });
    }
  });
});
