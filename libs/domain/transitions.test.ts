import { describe, expect, test } from 'vitest';
import type { Incident, NormalizedMessage, Score } from '#records/types.ts';
import {
  AWAY,
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
/** Reports the goal of these tests. */
const goalWith = (options?: IncidentOptions, type = 413) => incidentOf('5-110', type, options);
const later = (seconds: number) => ({ ut: START + seconds });
const score = (home: number, away: number): Score => ({ home, away });

describe('the transitions of an incident (law 10)', () => {
  const reported = (options?: IncidentOptions) => incidentOf('5-1', 400, options);
  const deleted = (options?: IncidentOptions) =>
    incidentMessage(incident('5-1', 400, options), { deleted: true });
  const known = reported();
  const known9 = reported({ message_id: 9 });
  const cancelled = { confirmation: 'cancelled' };
  const phased = incidentMessage(incident('5-1', 400, { event_status_id: 34 }));
  const gone = [known, deleted(later(1))];
  type Messages = readonly NormalizedMessage[];
  test.each<[why: string, before: Messages, message: NormalizedMessage, kinds: readonly string[]]>([
    ['its first body', [], known, ['incident_added']],
    ['its first body, cancelled', [], reported(cancelled), ['incident_added']],
    ['it became confirmed', [reported({ confirmation: 'tbd' })], reported(later(1)), ['incident_confirmed']],
    ['it became cancelled', [known], reported({ ...later(1), ...cancelled }), ['incident_cancelled']],
    ['it awaits it again', [known], reported({ ...later(1), confirmation: 'tbd' }), ['incident_amended']],
    ['another body', [known], reported({ participant_id: null }), ['incident_amended']],
    ['the same, reported later', [known], reported(later(1)), ['incident_amended']],
    ['deleted', [known], deleted(later(1)), ['incident_removed']],
    ['deleted, but reported since', [known], deleted(later(-1)), ['incident_amended']],
    ['deleted before it was reported', [], deleted(), ['incident_deleted_unseen']],
    ['again after its delete', gone, reported(later(2)), ['incident_reinstated']],
    [
      'again after its delete, cancelled',
      gone,
      reported({ ...later(2), ...cancelled }),
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
  const goal = goalWith();

  test('a goal', () => {
    const outcome = given(opening, kickOff).when(goal);
    expect(outcome.kinds).toEqual(['incident_added', 'score_changed', 'firm_score_changed']);
    const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 0 } };
    expect(outcome.transitions).toMatchObject([
      { key_incident: { id: '5-110' }, key_incident_before: null, remaining: null },
      { score, goals: [{ id: '5-110', team_id: HOME, counts_for_id: HOME, stands: true }], remaining: null },
      { score, goals: [], remaining: null },
    ]);
  });

  test('a goal that awaits confirmation, and its confirmation', () => {
    const tbd = goalWith({ confirmation: 'tbd' });
    expect(given(opening, kickOff).when(tbd).kinds).toEqual(
      'incident_added score_changed guard_changed'.split(' '),
    );
    expect(given(opening, kickOff, tbd).when(goalWith(later(9))).kinds).toEqual(
      'incident_confirmed firm_score_changed guard_changed'.split(' '),
    );
  });

  test.each<[how: string, first: string, message: NormalizedMessage]>([
    ['void', 'incident_cancelled', goalWith({ ...later(60), confirmation: 'cancelled' })],
    ['deleted', 'incident_removed', incidentMessage(incident('5-110', 413, later(60)), { deleted: true })],
    ['named by a 424', 'incident_added', incidentOf('5-120', 424, later(60))],
  ])('a goal that is %s', (_, first, message) => {
    const outcome = given(opening, kickOff, goal).when(message);
    expect(outcome.kinds).toEqual([first, 'goal_cancelled', 'score_changed', 'firm_score_changed']);
    const score = { before: { home: 1, away: 0 }, after: { home: 0, away: 0 } };
    expect(outcome.transitions[1]).toMatchObject({ incident_id: '5-110', incident_type: 413, score });
    expect(outcome.transitions[2]).toMatchObject({ score, goals: [] });
  });

  test('a goal that is reinstated', () => {
    const cancels = incidentOf('5-120', 424, later(60));
    const back = incidentOf('5-120', 424, { ...later(90), confirmation: 'cancelled' });
    const outcome = given(opening, kickOff, goal, cancels).when(back);
    expect(outcome.kinds).toEqual(
      'incident_cancelled goal_reinstated score_changed firm_score_changed'.split(' '),
    );
    const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 0 } };
    expect(outcome.transitions.slice(1, 3)).toMatchObject([
      { incident_id: '5-110', score },
      { score, goals: [{ id: '5-110', team_id: HOME, counts_for_id: HOME, stands: true }] },
    ]);
  });

  type Known = readonly NormalizedMessage[];
  test.each<[why: string, IncidentOptions, type: number, Known, Score | null, after: Score | null]>([
    ['as a penalty', {}, 421, [opening, kickOff], score(0, 0), score(1, 0)],
    ['of no side', { participant_id: 999 }, 413, [opening, kickOff], score(0, 0), score(0, 0)],
    ['of unknown sides', {}, 413, [], null, null],
  ])('a goal that is reinstated %s', (_, options, type, known, before, after) => {
    const cancelled = goalWith({ ...options, confirmation: 'cancelled' });
    const back = incidentMessage(incident('5-110', type, { ...options, ...later(9) }), {
      fields: eventFields(),
    });
    const { transitions } = given(...known, cancelled).when(back);
    const reinstated = transitions.filter(({ kind }) => kind === 'goal_reinstated');
    expect(reinstated).toMatchObject([{ incident_type: type, score: { before, after } }]);
  });

  const over = { status_id: 11, status_type: 'finished' };
  const playing = { status_id: 33, status_type: 'live' };
  const result = (home: number, fields: object = {}) =>
    eventMessage(START, eventFields({ participants: participants(home, 0), ...fields }));
  const first = [result(1), kickOff, goal];
  const list = snapshotMessage(START + 60, [incident('5-100', 429), incident('5-110', 413)]);
  const ended = [opening, kickOff, goal, eventMessage(START + 9, over)];
  const scores = ['score_changed', 'firm_score_changed'];
  const twice = ['incident_added', 'incident_added'];
  const unscored = ['goal_cancelled', ...scores, 'event_amended', 'guard_changed'];
  test.each<[why: string, Known, fields: object | NormalizedMessage, kinds: readonly string[]]>([
    ['the same at the end', first, over, ['status_changed']],
    ['another at the end', [result(0), kickOff, goal], over, [...scores, 'status_changed']],
    ['the same by goals as by result', [result(1)], list, [...twice, 'snapshot_applied']],
    ['none of an awarded match', ended, { status_id: 12 }, [...scores, 'status_changed', 'guard_changed']],
    ['none of another sport', [opening, kickOff, goal], { sport_id: 1 }, unscored],
  ])('the score where it has another source: %s', (_, known, fields, kinds) => {
    const message = 'ut' in fields ? (fields as NormalizedMessage) : eventMessage(START + 60, { ...fields });
    expect(given(...known).when(message).kinds).toEqual(kinds);
  });

  const other = incidentOf('5-111', 413);
  test.each<[why: string, Known, fields: Record<string, unknown>, score: Score]>([
    ['at the end', first, over, score(1, 0)],
    ['after the end', [result(0, over), kickOff, goal, other], playing, score(0, 0)],
  ])('a goal that is cancelled %s has the score of the result', (_, known, fields, both) => {
    const gone = incident('5-110', 413, { ...later(60), confirmation: 'cancelled' });
    const { transitions } = given(...known).when(incidentMessage(gone, { fields }));
    const cancelled = transitions.filter(({ kind }) => kind === 'goal_cancelled');
    expect(cancelled).toMatchObject([{ score: { before: both, after: both } }]);
  });
});

describe('a goal that is corrected (law 9a)', () => {
  const moved = { ...later(60), participant_id: AWAY };
  const list = (...incidents: Incident[]) =>
    snapshotMessage(START + 90, [incident('5-100', 429), ...incidents]);
  const goals = [incident('5-110', 413), incident('5-111', 413, { participant_id: AWAY })];

  /** Returns the scores that lead to that of a message, the goals taken back with their team, and those that count since. */
  function walked(known: readonly Incident[], message: NormalizedMessage) {
    const outcome = given(opening, kickOff, ...known.map((one) => incidentMessage(one))).when(message);
    const of = (...kinds: string[]) => outcome.transitions.filter(({ kind }) => kinds.includes(kind));
    const words = (one: Score | null | undefined) => `${one?.home}-${one?.away}`;
    expect(of('goal_cancelled').every((one) => one.incident_type !== 410)).toBe(true);
    return {
      walk: of('goal_cancelled', 'score_changed').map(
        (one) => `${words(one.score?.before)} > ${words(one.score?.after)}`,
      ),
      cancelled: of('goal_cancelled').map((one) => [one.incident_id, one.key_incident_before?.team_id]),
      counts: of('score_changed').flatMap((one) => one.goals.map(({ id }) => id)),
      remaining: of('score_changed').map((one) => one.remaining),
    };
  }

  /** A goal of home; what it becomes by a message, the score then, and the goals that count since. */
  test.each<[why: string, message: NormalizedMessage, after: string, counts: readonly string[]]>([
    ['to the other team', goalWith(moved), '0-1', ['5-110']],
    ['to the other team, by a list', list(incident('5-110', 413, moved)), '0-1', ['5-110']],
    ['to an own goal', incidentOf('5-110', 423, later(60)), '0-1', ['5-110']],
    ['in what it counts for', goalWith({ ...later(60), counts_for: 'rival' }), '0-1', ['5-110']],
    ['to no side', goalWith({ ...later(60), counts_for: 'none' }), '0-0', []],
    ['to no goal', incidentOf('5-110', 410, later(60)), '0-0', []],
    ['to the shoot-out', goalWith({ ...later(60), event_status_id: 141 }), '0-0', []],
  ])('%s', (_, message, after, counts) => {
    const walk = ['1-0 > 0-0', `1-0 > ${after}`];
    const remaining = [{ score: score(0, 0), cancelled: true }];
    const cancelled = [['5-110', HOME]];
    expect(walked(goals.slice(0, 1), message)).toEqual({ walk, cancelled, counts, remaining });
  });

  const home = incident('5-111', 413, later(60));
  const gone = incident('5-111', 413, { ...later(60), participant_id: AWAY, confirmation: 'cancelled' });
  test.each<[how: string, NormalizedMessage, after: string, counts: readonly string[]]>([
    ['each to the other team', list(incident('5-110', 413, moved), home), '1-1', ['5-110', '5-111']],
    ['one to no goal, the other cancelled', list(incident('5-110', 410, later(60)), gone), '0-0', []],
  ])('with another, %s', (_, message, after, counts) => {
    expect(walked(goals, message)).toEqual({
      walk: ['1-1 > 0-1', '0-1 > 0-0', `1-1 > ${after}`],
      cancelled: [
        ['5-110', HOME],
        ['5-111', AWAY],
      ],
      counts,
      remaining: [{ score: score(0, 0), cancelled: true }],
    });
  });

  test.each<[string, counted: boolean, reported: Score, Score | null, after: Score]>([
    ['that the result took back too', true, score(2, 0), score(1, 0), score(1, 0)],
    ['that the result still has', true, score(1, 0), score(1, 0), score(1, 0)],
    ['without a result any more', true, score(1, 0), null, score(1, 0)],
    ['reinstated with the result', false, score(0, 0), score(1, 0), score(1, 0)],
    ['that the result had already', false, score(1, 0), score(1, 0), score(1, 0)],
    ['reinstated without a result', false, score(0, 0), null, score(0, 0)],
  ])('has the score of the result where that is the score: a goal %s', (_, counted, was, is, after) => {
    const reported = (ut: number, counts: boolean, result: Score | null) => {
      const sides = participants(result?.home ?? null, result?.away ?? null);
      const fields = eventFields({ status_id: 12, status_type: 'finished', participants: sides });
      const confirmation = counts ? 'confirmed' : 'cancelled';
      return incidentMessage(incident('5-110', 413, { ...later(ut), confirmation }), { fields });
    };
    const { transitions } = given(reported(0, counted, was)).when(reported(60, !counted, is));
    const kind = counted ? 'goal_cancelled' : 'goal_reinstated';
    expect(transitions.find((one) => one.kind === kind)?.score).toEqual({ before: was, after });
  });
});

describe('sides that are exchanged (law 9a)', () => {
  const results = participants(1, 0) as Record<string, unknown>[];
  const exchange = (withResults: boolean) => [
    { ...results[1], counter: 1, results: withResults ? results[1]?.results : [] },
    { ...results[0], counter: 2, results: withResults ? results[0]?.results : [] },
  ];
  const goal = incidentMessage(incident('5-110', 413), { fields: { participants: results } });

  test.each([true, false])('move no goal and no result to another team; results repeated: %s', (repeated) => {
    const known = given(opening, kickOff, goal);
    const swap = eventMessage(START + 60, { participants: exchange(repeated) });
    const { kinds, transitions, state } = known.when(swap);
    expect(kinds).toEqual(['sides_exchanged', 'score_changed', 'firm_score_changed', 'event_amended']);
    const change = { before: score(1, 0), after: score(0, 1) };
    const remaining = { score: score(0, 1), cancelled: false };
    const second = { score: change, goals: [], remaining };
    expect(transitions.slice(0, 2)).toMatchObject([{ score: change }, second]);
    expect(state).toMatchObject({ score: score(0, 1), reported: score(0, 1), guard: { safe: true } });
    expect(state.key_incidents).toMatchObject([{ id: '5-110', counts_for_id: HOME }]);
  });

  test.each([
    [HOME, score(0, 1)],
    [AWAY, score(1, 0)],
  ])('with a goal of %s that is cancelled: the scores are of the new sides', (participant_id, before) => {
    const gone = incident('5-110', 413, { ...later(60), participant_id, confirmation: 'cancelled' });
    const swap = incidentMessage(gone, { fields: { participants: exchange(false) } });
    const known = [opening, kickOff, goalWith({ participant_id })];
    const { transitions } = given(...known).when(swap);
    const of = (kind: string) => transitions.find((one) => one.kind === kind);
    expect(of('goal_cancelled')?.score).toEqual({ before, after: score(0, 0) });
    expect(of('score_changed')?.remaining).toEqual({ score: score(0, 0), cancelled: true });
    expect(of('firm_score_changed')?.remaining).toBeNull();
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
    const both = [first, incident('5-2', 400)];
    const before = [opening, ...both.map((one) => incidentMessage(one))];
    const lags = snapshotMessage(START + 60, [first]);
    const missing = given(...before).when(lags);
    expect(missing.kinds).toEqual(['incident_missing', 'snapshot_applied']);
    const listed = given(...before, lags).when(snapshotMessage(START + 61, both));
    expect(listed.kinds).toEqual(['incident_listed', 'snapshot_applied']);
    const reported = given(...before, lags).when(incidentOf('5-2', 400, later(60)));
    expect(reported.kinds).toEqual(['incident_amended', 'incident_listed']);
    const removed = given(...before, lags).when(snapshotMessage(START + 75, [first]));
    expect(removed.kinds).toEqual(['incident_removed', 'snapshot_applied']);
  });

  test('that an incident was removed, or is missing, from the start', () => {
    const list = snapshotMessage(START + 100, [first]);
    const kindsAt = (seconds: number) =>
      given(opening, list).when(incidentOf('5-2', 400, later(seconds))).kinds;
    expect(kindsAt(25)).toEqual(['incident_added', 'incident_removed']);
    expect(kindsAt(26)).toEqual(['incident_added', 'incident_missing']);
  });

  test('that a goal went missing: its score stays, but is not firm', () => {
    const outcome = given(opening, kickOff, goalWith()).when(snapshotMessage(START + 60, [first]));
    expect(outcome.kinds).toEqual(
      'incident_missing firm_score_changed snapshot_applied guard_changed'.split(' '),
    );
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
    const match = { guard_before: { safe: true, reasons: [] } };
    for (const transition of transitions) {
      expect(transition).toMatchObject({ event_id: EVENT_ID, version: 3, cause: { offset: 2 }, match });
    }
    expect(given().when(opening).transitions[0]?.match.guard_before).toBeNull();
  });

  test('names in each transition what another message of its second decides', () => {
    const first = { ...eventMessage(START, { name: 'A' }), message_id: '9' };
    const message = incidentMessage(incident('5-1', 400), { fields: { name: 'B' } });
    const { transitions } = given(first).when({ ...message, message_id: '8' });
    expect(transitions).toMatchObject([{ outranked: ['name'] }]);
  });
});
