import { expect, test } from 'vitest';
import type { MatchState } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { ViewsWorld } from '../testing/world.ts';
import { shownStateOf } from './board-view.ts';
import type { MatchView } from './matches.ts';

const STATE: MatchState = { ...sampleOf('match-state'), event_id: 1, version: 1 };
type RenderedEvent = Parameters<MatchView['put']>[1];

const RENDERED: RenderedEvent = {
  full: '{"form":"full"}',
  plain: '{"form":"plain"}',
  shown: shownStateOf(STATE),
  levelNames: {},
};
const TEAM = { id: 77, name: 'Other', short_name: null };

/** Stores these states one after the other. Returns the row of the match. */
function rowAfter(...states: readonly (readonly [Partial<MatchState>, Partial<RenderedEvent>])[]): unknown {
  const { matches, sql } = new ViewsWorld().views;
  for (const [n, [state, rendered]] of states.entries())
    matches.put({ ...STATE, version: n + 1, ...state }, { ...RENDERED, ...rendered }, matches.known(1), 9);
  return sql.rows('SELECT * FROM events');
}

test.each<[string, Partial<MatchState>, Partial<RenderedEvent>]>([
  ['nothing that lists filter by', { bet_status: 'none' }, { full: '{"form":"other"}', plain: '{}' }],
  ['sport', { sport_id: 99 }, {}],
  ['competition', { competition_id: 99 }, {}],
  ['season', { season_id: 99 }, {}],
  ['stage', { stage_id: 99 }, {}],
  ['group', { group_id: 99 }, {}],
  ['start', { start_date: '2031-01-01 12:00' }, {}],
  ['status', { status_id: 99 }, {}],
  ['type of status', { status_type: 'finished' }, {}],
  ['home side', { home: { ...STATE.home, ...TEAM } as MatchState['home'] }, {}],
  ['away side', { away: { ...STATE.away, ...TEAM } as MatchState['away'] }, {}],
  ['deletion', { status_type: 'deleted' }, {}],
])('stores a changed match like a new one: %s', (_, state, rendered) => {
  const changed = [{ version: 2, ...state }, rendered] as const;
  expect(rowAfter([{}, {}], changed)).toEqual(rowAfter(changed));
});
