import { expect, test } from 'vitest';
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
import type { MatchTransition } from '#topics/generated/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { findingsOf } from './decide.ts';

const EMPTY = { score: null, value: null, guard: null, incident_presence: null, goals: [] };

function kindsOf(kind: string, detail: Partial<MatchTransition>, closed: readonly string[] = []): string[] {
  const transition = { ...sampleOf('match-transitions'), ...EMPTY, kind, ...detail };
  return findingsOf(transition, closed).map((finding) => finding.kind);
}

const score = (home: number, away: number) => ({ home, away });
const guard = (...reasons: string[]) => ({ guard: { safe: reasons.length === 0, reasons } });

test.each([
  [score(0, 0), score(1, 0), ['goal']],
  [score(1, 0), score(1, 2), ['goal']],
  [score(1, 0), score(0, 1), ['goal']],
  [score(1, 0), score(0, 0), []],
  [null, score(1, 0), []],
  [score(1, 0), null, []],
])('finds in a score from %j to %j: %j', (before, after, kinds) => {
  expect(kindsOf('score_changed', { score: { before, after } })).toEqual(kinds);
  expect(kindsOf('firm_score_changed', { score: { before, after } })).toEqual([]);
});

test('names the incident and the scores of each goal', () => {
  const [before, after] = [score(0, 0), score(2, 0)];
  const goals = (ids: string[]) => {
    const change = { score: { before, after }, goals: ids, kind: 'score_changed' };
    return findingsOf({ ...sampleOf('match-transitions'), ...EMPTY, ...change }, []);
  };
  const of = (incident_id: string | null) => ({ incident_id, score_before: before, score: after });
  expect(goals(['5-1', '5-2'])).toMatchObject([of('5-1'), of('5-2')]);
  expect(goals([])).toMatchObject([of(null)]);
});

test('finds no goal in a first list that names a goal of the provider’s result', () => {
  const change = { score: { before: score(1, 0), after: score(2, 0) }, goals: ['5-1', '5-2'] };
  const found = findingsOf(
    { ...sampleOf('match-transitions'), ...EMPTY, ...change, kind: 'score_changed' },
    [],
  );
  expect(found.map(({ incident_id }) => incident_id)).toEqual(['5-2']);
});

test('finds a cancelled goal, whatever the score does', () => {
  const change = {
    score: { before: score(1, 0), after: score(0, 0) },
    incident_id: '5-1',
    kind: 'goal_cancelled',
  };
  const of = { ...sampleOf('match-transitions'), ...EMPTY, ...change };
  expect(findingsOf(of, [])).toMatchObject([
    { kind: 'goal_cancelled', incident_id: '5-1', score_before: score(1, 0), score: score(0, 0) },
  ]);
  expect(kindsOf('goal_cancelled', {})).toEqual(['goal_cancelled']);
});

test('finds an added red card, unless it is already removed or cancelled', () => {
  const added = (incident_presence: MatchTransition['incident_presence']) =>
    kindsOf('incident_added', { incident_type: 418, incident_presence });
  const presence = { removed: false, present_at: 1, absent_at: null, incident: null, missing: false };
  expect(added(null)).toEqual(['red_card']);
  expect(added(presence)).toEqual(['red_card']);
  expect(added({ ...presence, removed: true })).toEqual([]);
  expect(added({ ...presence, incident: incident('5-1', 418) })).toEqual(['red_card']);
  expect(added({ ...presence, incident: incident('5-1', 418, { confirmation: 'cancelled' }) })).toEqual([]);
  expect(kindsOf('incident_added', { incident_type: 419 })).toEqual([]);
  expect(kindsOf('incident_confirmed', { incident_type: 418 })).toEqual([]);
});

test('finds a final match when it becomes finished, and when it no longer is', () => {
  const status = (before: string | null, after: string) =>
    kindsOf('status_changed', { value: { before, after } });
  expect(status('34 live', '11 finished')).toEqual(['final']);
  expect(status(null, '11 finished')).toEqual(['final']);
  expect(status('live', 'finished')).toEqual(['final']);
  expect(status('finished', '11 finished')).toEqual([]);
  // An abandoned match has no result until one is awarded.
  expect(status('34 live', '7 finished')).toEqual([]);
  expect(status('7 finished', '12 finished')).toEqual(['final']);
  expect(status('11 finished', '13 finished')).toEqual([]);
  expect(status('11 finished', '34 live')).toEqual(['final_withdrawn']);
  expect(status('11 finished', '7 finished')).toEqual(['final_withdrawn']);
  expect(status('34 live', '9 live')).toEqual([]);
});

test('finds a closed guard once, however its reasons change', () => {
  expect(kindsOf('guard_changed', guard('game_break'))).toEqual(['guard_closed']);
  expect(kindsOf('guard_changed', guard('game_break', 'possible_var'), ['game_break'])).toEqual([]);
  expect(kindsOf('guard_changed', guard(), ['game_break'])).toEqual([]);
});

test('finds a differing score when it becomes a reason of the guard', () => {
  expect(kindsOf('guard_changed', guard('score_differs'))).toEqual(['guard_closed', 'score_differs']);
  expect(kindsOf('guard_changed', guard('score_differs', 'game_break'), ['game_break'])).toEqual([
    'score_differs',
  ]);
  expect(kindsOf('guard_changed', guard('score_differs'), ['score_differs', 'game_break'])).toEqual([]);
});

test('finds a closed guard, not a cancelled goal, where a list may only lag', () => {
  const match = newMatch(EVENT_ID);
  const transitions = [
    eventMessage(START, eventFields()),
    incidentMessage(incident('5-1', 413)),
    snapshotMessage(START + 60, [incident('5-2', 429)]),
  ].flatMap((message, offset) => applyMessage(match, message, causeOf(message, offset)).transitions);
  expect(transitions.map(({ kind }) => kind)).toContain('incident_missing');
  const found = transitions.flatMap((transition) => findingsOf(transition, []).map(({ kind }) => kind));
  expect(found).toContain('guard_closed');
  expect(found).not.toContain('goal_cancelled');
});
