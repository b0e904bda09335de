import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { originText, summaryOf } from './summaries.ts';

const state = sampleOf('match-state');
const incidents = sampleOf('match-incidents');

describe('a match', () => {
  test('whose score is not known shows that, not zero', () => {
    expect(summaryOf('match-state', { ...state, score: null, firm: null, shoot_out: null })).toContain(
      '  unknown  live',
    );
  });

  test('whose guard is open says so, and its firm score once', () => {
    const safe = { ...state, firm: state.score, shoot_out: null, guard: { safe: true, reasons: [] } };
    expect(summaryOf('match-state', safe)).toBe('v12  France - Croatia  1:0  live (33)  18:14  guard open');
  });

  test('that is over says nothing of its guard', () => {
    for (const guard of [
      { safe: true, reasons: [] },
      { safe: false, reasons: ['score_differs'] },
    ])
      expect(summaryOf('match-state', { ...state, status_type: 'finished', guard })).not.toContain('guard');
  });

  test('without a name is called by its sides, and one that nothing is known of by nothing', () => {
    expect(summaryOf('match-state', { ...state, name: null })).toContain('France - Croatia');
    const bare = {
      ...state,
      name: null,
      home: null,
      away: null,
      clock: null,
      status_type: null,
      status_id: null,
    };
    expect(summaryOf('match-state', bare)).toContain('v12  1:0');
  });

  test('whose reported score differs shows both', () => {
    const differs = { ...state, agreement: 'differs' as const, reported: { home: 2, away: 0 } };
    expect(summaryOf('match-state', differs)).toContain('reported 2:0');
  });
});

describe('an incident', () => {
  test('that was removed says so', () => {
    expect(summaryOf('match-incidents', { ...incidents, removed: true })).toMatch(/ {2}REMOVED$/);
  });

  test('of which only a delete came says that', () => {
    expect(summaryOf('match-incidents', { ...incidents, incident: null })).toContain(
      'deleted before it was sent',
    );
  });

  test('whose body names nothing is called by its type', () => {
    const incident = incidents.incident && { ...incidents.incident, body: '{}', event_time: null };
    expect(summaryOf('match-incidents', { ...incidents, incident })).toBe(
      'v12  5-889947  incident (413) tbd',
    );
  });
});

test('a message without an incident is shown by its type and time', () => {
  const message = {
    ...sampleOf('normalized-messages'),
    type: 'event' as const,
    incident: null,
    snapshot: null,
  };
  expect(summaryOf('normalized-messages', message)).toBe('event  5-889947-2  at 2018-07-15T15:53:20Z');
});

test('a change to or from the unknown is shown as such', () => {
  const transition = { ...sampleOf('match-transitions'), guard: null, fields: [], incident_id: null };
  const unknown = { ...transition, value: null, score: { before: null, after: { home: 0, away: 0 } } };
  expect(summaryOf('match-transitions', unknown)).toBe('2429281:12:0  score_changed  unknown -> 0:0');
});

test('a dead letter of a webhook came over HTTP', () => {
  expect(originText({ ...sampleOf('dead-letters'), topic: null })).toBe('over HTTP');
});
