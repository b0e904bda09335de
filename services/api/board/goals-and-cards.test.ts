import { describe, expect, test } from 'vitest';
import { boardMatch } from '#story/board-match.ts';
import type { ViewRecord } from '#views/records.ts';
import { type FixtureMatch, PlayedViews } from './testing/playing.ts';
import { firstHalf, incident, SERBIA_BRAZIL as match, secondHalf } from './testing/scenes.ts';

const [HOME, AWAY] = [match.home[0], match.away[0]];
const FIRST = { event_status_id: 33 } as const;
const SECOND = { event_status_id: 34 } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Publishes messages of a match; returns what the board shows after each. */
function playing() {
  const played = new PlayedViews();
  let ut = Math.floor(Date.now() / 1000) - 1_000;
  const shown = () => {
    const state = played.views.matches.state(match.id);
    if (state === null) throw new Error('no match');
    const { goals, half_time, red_cards, yellow_cards } = boardMatch(state, played.views, ut);
    return { goals, half_time, red_cards, yellow_cards };
  };
  const publish = (event: Fields, fields?: Fields, of: FixtureMatch = match) => {
    ut += 1;
    played.publish(of, ut, event, fields);
    return shown();
  };
  return { played, publish, shown };
}

const goal = (n: number, side: number, time: string, changes: Fields = {}) =>
  incident(n, 413, time, {
    participant_id: side,
    subparticipant_name: `P${n}`,
    subparticipant_id: n,
    ...changes,
  });

describe('the goals of a row', () => {
  test('are those that count, each at the side that it counts for, by the incident and not by its type', () => {
    const { publish } = playing();
    publish({ ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
    publish(firstHalf(9), goal(2, HOME, '08:30', FIRST));
    publish(firstHalf(19), goal(3, HOME, '18:30', { ...FIRST, incident_id: 423, for: 'rival' }));
    publish(firstHalf(20), goal(4, AWAY, '19:30', { ...FIRST, for: 'rival' }));
    publish(firstHalf(30), goal(5, AWAY, '29:30', FIRST));
    const { goals } = publish(firstHalf(31), goal(5, AWAY, '29:30', { ...FIRST, confirmation: 'cancelled' }));
    expect(goals).toEqual([
      { side: 'home', player: 'P2', minute: '9', kind: 'goal' },
      { side: 'away', player: 'P3', minute: '19', kind: 'own_goal' },
      { side: 'home', player: 'P4', minute: '20', kind: 'goal' },
    ]);
  });

  test('have a score at half-time once the second half has begun, by the goals that still count', () => {
    const { publish } = playing();
    publish({ ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
    publish(firstHalf(9), goal(2, HOME, '08:30', FIRST));
    expect(publish(firstHalf(10), goal(3, AWAY, '09:30', FIRST)).half_time).toBeNull();
    expect(publish({ status_id: 9, status_type: 'live' }).half_time).toBeNull();
    expect(publish(secondHalf(1), incident(4, 430, '45:00', SECOND)).half_time).toEqual({ home: 1, away: 1 });
    const later = publish(secondHalf(9), goal(5, AWAY, '54:30', SECOND));
    expect(later.half_time).toEqual({ home: 1, away: 1 });
    const without = publish(secondHalf(10), goal(3, AWAY, '09:30', { ...FIRST, confirmation: 'cancelled' }));
    expect(without.half_time).toEqual({ home: 1, away: 0 });
    expect(publish({ status_id: 2, status_type: 'interrupted' }).half_time).toBeNull();
    const over = publish({ status_id: 11, status_type: 'finished', reported: [1, 1] });
    expect(over.half_time).toEqual({ home: 1, away: 0 });
  });

  test('have no score at half-time where they do not tell it', () => {
    const { publish } = playing();
    publish({ ...secondHalf(1), reported: [2, 0] });
    const scored = publish({ ...secondHalf(9), reported: [3, 0] }, goal(5, HOME, '54:30', SECOND));
    expect(scored.half_time).toBeNull();
    const awarded = { status_id: 12, status_type: 'finished', reported: [3, 0] };
    expect(publish(awarded).half_time).toBeNull();
  });
});

test('a goal or a card whose incident is read after the state is shown once it is read', () => {
  const { played, publish, shown } = playing();
  publish({ ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
  publish(secondHalf(1));
  expect(shown().half_time).toEqual({ home: 0, away: 0 });
  const notified: number[] = [];
  played.views.events.on('match', ({ version }) => notified.push(version));
  const ut = Math.floor(Date.now() / 1000);
  const own = goal(5, HOME, '54:30', { ...SECOND, for: 'rival' });
  const records = played.recordsOf(played.message(match, ut, secondHalf(9), own));
  const isIncident = ({ topic }: ViewRecord): boolean => topic === 'match-incidents';
  played.give(...records.filter((record) => !isIncident(record)));
  const [version] = notified;
  expect(shown()).toMatchObject({ goals: [{ side: 'home' }], half_time: null });
  played.give(...records.filter(isIncident));
  expect(shown()).toMatchObject({ goals: [{ side: 'away' }], half_time: { home: 0, away: 0 } });
  expect(notified).toEqual([version, version]);
});

test.each([
  ['red_cards', 418],
  ['yellow_cards', 419],
] as const)('counts the %s that are neither removed nor cancelled', (cards, type) => {
  const { publish } = playing();
  const at = (n: number, participant_id: number, more: Fields = {}) =>
    incident(n, type, `0${n}:00`, { participant_id, ...more });
  publish({ ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
  publish(firstHalf(1), at(2, HOME));
  publish(firstHalf(2), at(3, HOME));
  expect(publish(firstHalf(3), at(4, AWAY))[cards]).toEqual({ home: 2, away: 1 });
  const cancelled = at(4, AWAY, { confirmation: 'cancelled' });
  expect(publish(firstHalf(4), cancelled)[cards]).toEqual({ home: 2, away: 0 });
  expect(publish(firstHalf(5), at(3, HOME, { action: 'delete' }))[cards]).toEqual({ home: 1, away: 0 });
});
