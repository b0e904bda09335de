import { expect, test } from 'vitest';
import { type PeriodLengths, SOCCER_LENGTHS } from './clock.ts';
import { IncidentIndex } from './incident-index.ts';
import { keyIncidents } from './key-incidents.ts';
import { sidesOf } from './testing/goals.ts';
import { AWAY, type IncidentOptions, incident, participants } from './testing/messages.ts';

const voided = new Map([['5-8', 'cancelled' as const]]);

function keysIn(index: IncidentIndex, lengths: PeriodLengths = SOCCER_LENGTHS) {
  const sides = new Map([['5-7', 'away' as const]]);
  return keyIncidents(index, {
    facts: { lengths, sides: sidesOf(participants()) },
    tally: { voided, counting: ['5-7'], sides },
  });
}

/** Returns the key incidents of a timeline in any order. */
type Player = readonly [number | null, string | null];
function keysOf(...timeline: readonly (readonly [string, number, IncidentOptions?, Player?])[]) {
  const known = timeline.map(([id, type, options, player]) => {
    const [subparticipant_id, subparticipant_name] = player ?? [null, null];
    const made = incident(id, type, { ...options, subparticipant_id, subparticipant_name });
    return { id, incident: made, removed: id === '5-9', missing: false };
  });
  return keysIn(new IncidentIndex(known));
}

test('key incidents are goals and red cards in the order of their ids, void and removed ones included', () => {
  const types = { 8: 413, 7: 413, 9: 423, 1: 418, 2: 419, 4: 424, 5: 422 };
  const known = Object.entries(types).map(([id, type]) => [`5-${id}`, type] as const);
  const keys = keysOf(...known.toReversed(), ['5-3', 421, { confirmation: 'cancelled' }]);
  expect(keys.map((key) => [key.id, key.incident_type, key.stands, key.counts_for_id])).toEqual([
    ['5-1', 418, true, null],
    ['5-3', 421, false, null],
    ['5-7', 413, true, AWAY],
    ['5-8', 413, false, null],
    ['5-9', 423, false, null],
  ]);
});

test('key incidents have player, team and minute, or null if unknown', () => {
  const [goal, kick, unknown, named] = keysOf(
    ['5-1', 413, { event_time: 2_801 }, [3_682, 'A. Griezmann']],
    ['5-2', 413, { event_status_id: 141, participant_id: AWAY, event_time: 7_200 }, [7, null]],
    ['5-3', 413, { event_time: null, participant_id: null }, [0, null]],
    ['5-4', 413, {}, [null, 'B. Name-Only']],
  );
  const griezmann = { player_id: 3_682, player_name: 'A. Griezmann' };
  expect(goal).toMatchObject({ ...griezmann, minute: '45+2', in_shoot_out: false });
  const nameless = { team_id: AWAY, player_id: 7, player_name: null };
  expect(kick).toMatchObject({ ...nameless, minute: '120', in_shoot_out: true });
  expect(unknown).toMatchObject({ team_id: null, player_id: null, player_name: null, minute: null });
  expect(named).toMatchObject({ player_id: null, player_name: 'B. Name-Only' });
});

test('renders a minute by the lengths of the match, also after these become known', () => {
  const known = incident('5-1', 413, { event_time: 2_461 });
  const goal = { id: '5-1', incident: known, removed: false, missing: false };
  const index = new IncidentIndex([goal]);
  expect(keysIn(index)).toMatchObject([{ minute: '42' }]);
  expect(keysIn(index, { half: 40, extra_half: 15 })).toMatchObject([{ minute: '40+2' }]);
});
