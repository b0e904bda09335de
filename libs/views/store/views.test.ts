import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import type { ViewRecord } from '../records.ts';
import { applyRecords } from '../render/apply.ts';
import { catalogueRecord, groupsOf, providerTable, tableRecord } from '../testing/records.ts';
import { RECEIVED_AT, ViewsWorld } from '../testing/world.ts';
import type { ShownState } from './board-view.ts';
import { COMMIT_MS } from './views.ts';

let world: ViewsWorld;

beforeEach(() => {
  world = new ViewsWorld();
});

const ids = (states: readonly ShownState[]) => states.map(({ event_id }) => event_id);

test('lists live and recent matches, also after a restart, which resumes after the last batch', () => {
  world.play(
    eventMessage({}, { id: 1, start_date: '2026-08-15 16:00' }),
    eventMessage({}, { id: 2 }),
    eventMessage({}, { id: 3, status_id: 11, status_type: 'finished' }),
    eventMessage({}, { id: 4 }),
    eventMessage({ ut: 1_790_000_001 }, { id: 4, action: 'delete' }),
  );
  expect(ids(world.views.matches.live(world.now / 1000))).toEqual([2, 1]);
  world.play(eventMessage({ ut: 1_790_000_002 }, { id: 2, status_id: 11, status_type: 'finished' }));
  expect(ids(world.views.matches.live(world.now / 1000))).toEqual([1]);
  world.restart();
  expect([...world.views.positions('next')]).toEqual([['test-0', 6]]);
  expect(ids(world.views.matches.live(world.now / 1000))).toEqual([1]);
  expect(ids(world.views.matches.live(world.now / 1000 + 6 * 3_600))).toEqual([]);
  expect(world.views.matches.state(2)).toMatchObject({ status_type: 'finished', version: 2 });
  expect(world.views.matches.state(9)).toBeNull();
  expect([...ids(world.views.matches.recent(9))].sort()).toEqual([1, 2, 3]);
  expect(world.views.matches.recent(2)).toHaveLength(2);
});

test('creates the indexes once it has caught up, also after an interrupted build', () => {
  const indexes = () =>
    world.views.sql.column<string>("SELECT name FROM sqlite_schema WHERE name LIKE 'events_by_%'");
  const plan = () =>
    world.views.sql.of('EXPLAIN QUERY PLAN SELECT id FROM events ORDER BY start, id').all()[0]?.detail;
  world.play(eventMessage({}, { id: 1 }));
  expect(indexes()).toEqual([]);
  world.restart();
  world.play(eventMessage({}, { id: 2 }));
  world.views.caughtUp();
  expect(indexes()).toHaveLength(8);
  expect(plan()).toContain('events_by_start');
  world.restart();
  world.views.caughtUp();
  expect(indexes()).toHaveLength(8);
});

test('ignores an older state or name', () => {
  world.play(incidentMessage(), incidentMessage({ ut: 1_790_000_005 }, { confirmation: 'confirmed' }));
  const [state, [incident]] = [world.views.matches.state(7000001), world.views.incidentLog.shown(7000001)];
  const older = new ViewsWorld();
  older.play(incidentMessage());
  const stale = older.views.matches.state(7000001);
  if (stale === null) throw new Error('no state');
  const at = { partition: 0, offset: 0, key: '' };
  world.give({ topic: 'match-state', ...at, value: { ...stale, reports: [] } });
  expect(world.views.matches.state(7000001)).toEqual(state);
  expect(world.views.incidentLog.shown(7000001)).toEqual([incident]);
  const name = (ut: number, text: string) => catalogueRecord('season', 25528, null, { name: text }, ut);
  world.give(name(2, 'new'), name(1, 'old'));
  const ids = { competition_id: 6628, season_id: 25528, stage_id: 0, group_id: null };
  expect(world.views.levelNames(ids)).toEqual({ competition: null, season: 'new', stage: null, group: null });
  world.give({ topic: 'catalogue', ...at, key: 'season/25528', value: null });
  expect(world.views.levelNames(ids).season).toBeNull();
});

test('stores nothing of a batch that fails', () => {
  world.play(eventMessage({}, { id: 1 }));
  world.views.commit();
  const broken = { topic: 'catalogue', partition: 0, offset: 9, key: 'x', value: { kind: null } };
  const good = catalogueRecord('season', 1, null, { name: 'never' });
  const position = { key: 'test-0', next: 10, epoch: null };
  const records = [good, broken as unknown as ViewRecord];
  expect(() => applyRecords(world.views, records, [position], RECEIVED_AT)).toThrow();
  world.restart();
  expect(world.views.catalogue.name('season', 1)).toBeNull();
  expect([...world.views.positions('next')]).toEqual([['test-0', 1]]);
});

test('shows what is not committed, and reads it again after its process was killed', () => {
  world.play(eventMessage({}, { id: 1 }));
  world.views.commit();
  world.play(eventMessage({}, { id: 2 }));
  expect(world.views.matches.state(2)).not.toBeNull();
  world.kill();
  expect(world.views.matches.state(1)).not.toBeNull();
  expect(world.views.matches.state(2)).toBeNull();
  expect([...world.views.positions('next')]).toEqual([['test-0', 1]]);
});

test('marks what a killed process may have shown as changed after it was shown', () => {
  world.now = RECEIVED_AT + 400;
  world.play(eventMessage({}, { id: 1 }));
  world.views.commit();
  world.kill();
  const shownAtMost = world.now + COMMIT_MS;
  expect(Math.floor(shownAtMost / 1_000)).toBeGreaterThan(Math.floor(world.now / 1_000));
  expect(world.views.changedAt({ timestamp: RECEIVED_AT }, world.now)).toBe(Math.floor(shownAtMost / 1_000));
});

test('derives feed status from the clock, restores that of a match after a restart, and changes no answer with it', () => {
  world.play(eventMessage({}, { id: 1 }));
  const { listVersion } = world.views;
  world.health(null);
  world.health(1);
  expect(world.views.matchHealth(1, RECEIVED_AT)).toMatchObject({ believed: true, state: 'alive' });
  expect(world.views.matchHealth(1, RECEIVED_AT + 1)).toMatchObject({ believed: false, state: 'expired' });
  expect(world.views.health.sources(RECEIVED_AT)).toMatchObject([{ source: 'webhook', believed: true }]);
  expect(world.views.listVersion).toBe(listVersion);
  world.restart();
  expect(world.views.matchHealth(1, RECEIVED_AT)).toMatchObject({ believed: false, state: 'unknown' });
  world.health(null);
  expect(world.views.matchHealth(1, RECEIVED_AT)).toMatchObject({ believed: true, state: 'alive' });
});

test('notifies once per batch of each match and season, when the change is visible', () => {
  const notified: unknown[] = [];
  world.views.events
    .on('match', ({ version }) => notified.push([version, world.views.matches.state(1)?.version]))
    .on('table', (season) => notified.push(season));
  world.play(eventMessage({}, { id: 1 }));
  const of = { object_type: 'stage', object_id: 3, competition_id: 4, season_id: 30 };
  const table = (version: number, name: string) => tableRecord(7, { ...of, version, name });
  const lost = world.give(table(1, 'L'), table(0, 'old'));
  expect(lost).toMatchObject([{ topic: 'standings', known: 1, record: { standings_id: 7, version: 0 } }]);
  expect(notified).toEqual([[1, 1], 30]);
  expect(world.views.table(7)).toMatchObject({ id: 7, name: 'L' });
  const shown = { standings_id: 7, name: 'L', object_type: 'stage' };
  expect(world.views.standings.ofSeason(30)).toMatchObject([shown]);
  expect(world.views.seasons()).toMatchObject([{ season_id: 30, competition_id: 4, season: null }]);
});

test('has each table as it is on the day, and compares it with the provider’s anew', () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 4, 28, 23, 59, 59));
  onTestFinished(() => clock.mockRestore());
  const body = (points: number) => providerTable(30, points);
  const of = { object_id: 30, season_id: 30 };
  const later = [{ day: '2026-05-29', groups: groupsOf(body(39).groups) }];
  const { views } = world;
  world.give(tableRecord(900, { ...of, later }, body(43).groups));
  world.give(catalogueRecord('provider_league', 40_001, 30, body(39)));
  const differences = () => [
    views.leagues.compared(30).flatMap((group) => group.differences).length,
    views.leagues.differences(world.now / 1000 + 86_400).get('points'),
  ];
  const points = (value: number) => ({ groups: [{ participants: [{ columns: [{ code: 'pts', value }] }] }] });
  expect(views.table(900)).toMatchObject(points(43));
  expect(differences()).toEqual([1, 1]);
  clock.mockReturnValue(Date.UTC(2026, 4, 29));
  expect(views.table(900)).toMatchObject(points(39));
  expect(differences()).toEqual([0, 0]);
});
