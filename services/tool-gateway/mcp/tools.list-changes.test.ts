import { beforeEach, describe, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { Incident } from '#records/types.ts';
import { normalized, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { event, goalMessage, leagues, OPEN } from './testing/league.ts';
import { callTool, refusalOf, scopeOf, type ToolArguments } from './testing/tool-calls.ts';
import type { ToolScope } from './tools/tool.ts';

let world: ViewsWorld;
let scope: ToolScope;

beforeEach(() => {
  world = leagues();
  scope = scopeOf(world);
});

const call = (name: string, args?: ToolArguments) => callTool(scope, name, args);
const refusal = (name: string, args: ToolArguments) => refusalOf(scope, name, args);

describe('list_changes', () => {
  type Shown = { readonly kind: string; readonly match_id: number; readonly [field: string]: unknown };
  let ut: number;
  beforeEach(() => {
    ut = 1_790_000_100;
  });
  const publish = (id: string, changes: object) => {
    ut += 10;
    world.play(goalMessage(OPEN, { id: `${ut}`, ut }, { id, event_time: '46:10', ...changes }));
  };
  const changes = (args: object = {}) =>
    call('list_changes', { match_id: OPEN.match, ...args }).changes as Shown[];
  const ofIncident = (id: string, args: object = {}) =>
    changes({ limit: 50, ...args }).filter(({ incident_id }) => incident_id === id);

  test('shows a goal with team, player, minute and both scores', () => {
    publish('5-300', {});
    expect(changes()[0]).toEqual({
      match_id: OPEN.match,
      match: 'Göteborg 101 - Göteborg 102',
      at: new Date(ut * 1_000).toISOString(),
      kind: 'goal',
      what: 'Goal',
      minute: '45+2',
      team: 'Göteborg home',
      player: 'Göteborg player',
      before: '1-0',
      score: '2-0',
      firm_score: '2-0',
      stands: true,
      incident_id: '5-300',
    });
  });

  test('shows a goal that is under review, then confirmed, then removed', () => {
    publish('5-300', { confirmation: 'tbd' });
    const reported = { kind: 'goal_to_be_confirmed', before: '1-0', score: '2-0' };
    expect(ofIncident('5-300')).toMatchObject([reported]);
    publish('5-300', { confirmation: 'confirmed' });
    publish('5-300', { action: 'delete' });
    const [removed, confirmed, first] = ofIncident('5-300');
    expect(first).toMatchObject({ ...reported, stands: false });
    expect(confirmed).toMatchObject({ kind: 'goal_confirmed', firm_score: '2-0' });
    const why = { taken_back_by: 'the provider removed it' };
    expect(removed).toMatchObject({ kind: 'goal_taken_back', before: '2-0', score: '1-0', ...why });
  });

  test('shows a goal that another incident takes back as one change, and another change when it counts again', () => {
    publish('5-300', {});
    const cancelled = { incident_id: 424, event_time: '47:30', parent_id: '5-300' };
    publish('5-301', cancelled);
    expect(changes({ only: 'taken_back' })).toMatchObject([
      {
        incident_id: '5-300',
        kind: 'goal_taken_back',
        before: '2-0',
        score: '1-0',
        taken_back_by: 'incident 5-301, goal cancelled (minute 45+3)',
        stands: false,
      },
    ]);
    expect(ofIncident('5-301')).toEqual([]);
    publish('5-301', { ...cancelled, confirmation: 'cancelled' });
    expect(changes()[0]).toMatchObject({ kind: 'goal_reinstated', score: '2-0', stands: true });
  });

  test('shows a goal that is corrected to the other team as taken back from one, then as a goal of the other', () => {
    publish('5-300', {});
    const name = `Göteborg ${OPEN.teams[1]}`;
    publish('5-300', { participant_id: OPEN.teams[1], participant_name: name, subparticipant_name: 'Other' });
    const [goal, takenBack, reported, ...others] = changes({ only: 'goals' });
    expect(goal).toMatchObject({ kind: 'goal', what: 'Goal', team: name, player: 'Other', before: '1-0' });
    expect(goal).toMatchObject({ score: '1-1', firm_score: '1-1', stands: true, incident_id: '5-300' });
    expect(takenBack).toEqual({
      match_id: OPEN.match,
      match: goal?.match,
      at: goal?.at,
      kind: 'goal_taken_back',
      what: 'Goal, taken back',
      minute: '45+2',
      team: `Göteborg ${OPEN.teams[0]}`,
      before: '2-0',
      score: '1-0',
      taken_back_by: 'the provider corrected it',
      stands: true,
      incident_id: '5-300',
    });
    expect(reported).toMatchObject({ kind: 'goal', before: '1-0', score: '2-0' });
    expect(others).toHaveLength(1);
    expect(changes({ only: 'taken_back' })).toEqual([takenBack]);
    expect(changes({ only: 'goals', limit: 1, page: 2 })).toEqual([takenBack]);
  });

  test('joins each of two goals that one snapshot takes back with its cancellation, by parent or by order', () => {
    const away = { participant_id: OPEN.teams[1] };
    publish('5-300', {});
    publish('5-301', { event_time: '48:00', ...away });
    publish('5-302', { event_time: '49:00', ...away });
    const listed = (id: string, changes: object) => {
      const fields = { id, incident_id: 424, event_time: '50:00', ...changes };
      return normalized(goalMessage(OPEN, { id: `${ut}`, ut: ut + 10 }, fields)).incident
        ?.incident as Incident;
    };
    const goals = [
      ['5-300', { event_time: '46:10', incident_id: 413 }],
      ['5-301', { event_time: '48:00', incident_id: 413, ...away }],
      ['5-302', { event_time: '49:00', incident_id: 413, ...away }],
    ] as const;
    const cancellations = [
      // Without a parent it takes back the nearest goal of the same side.
      ['5-310', {}],
      ['5-311', { event_time: '51:00', parent_id: '5-301', ...away }],
      // More than a minute later, or it would repeat 5-311.
      ['5-312', { event_time: '53:00', ...away }],
    ] as const;
    const message = normalized(eventMessage({ id: 's', ut: ut + 10 }, event(OPEN, OPEN.match)));
    const snapshot = [
      listed('5-110', { event_time: '09:30', incident_id: 413 }),
      ...goals.map(([id, fields]) => listed(id, fields)),
      ...cancellations.map(([id, fields]) => listed(id, fields)),
    ];
    world.take({ ...message, type: 'incident_snapshot', event: null, incident: null, snapshot });
    const takenBack = () =>
      Object.fromEntries(changes({ only: 'taken_back' }).map((one) => [one.incident_id, one.taken_back_by]));
    expect(takenBack()).toEqual({
      '5-300': expect.stringContaining('incident 5-310,'),
      '5-301': expect.stringContaining('incident 5-311,'),
      '5-302': expect.stringContaining('incident 5-312,'),
    });
    // Once the cancellations are taken back themselves, only the one with a parent is certain.
    for (const [id, fields] of cancellations)
      publish(id, { incident_id: 424, ...fields, confirmation: 'cancelled' });
    expect(takenBack()).toEqual({
      '5-300': 'another incident',
      '5-301': expect.stringContaining('incident 5-311,'),
      '5-302': 'another incident',
    });
  });

  test('shows a cancellation of no known goal as a separate change', () => {
    publish('5-301', { incident_id: 424, parent_id: '5-999' });
    expect(changes()[0]).toMatchObject({ kind: 'goal_cancellation', incident_id: '5-301' });
  });

  test('lists goals first, and describes status and guard in words', () => {
    const all = changes({ limit: 50 });
    expect(all[0]?.kind).toBe('goal');
    expect(all).toContainEqual(expect.objectContaining({ kind: 'status', what: 'Status: 1st half' }));
  });

  test('has every change of one moment on exactly one page', () => {
    for (let n = 0; n < 7; n++) publish(`5-${300 + n}`, {});
    const since = '2026-01-01T00:00:00Z';
    const ids: unknown[] = [];
    let total = 0;
    for (let page: number | null = 1; page !== null; ) {
      const answer = call('list_changes', { since, limit: 3, page });
      ids.push(...(answer.changes as Shown[]).map((one) => JSON.stringify(one)));
      total = answer.total as number;
      page = answer.next_page as number | null;
    }
    expect(new Set(ids).size).toBe(total);
    expect(ids).toHaveLength(total);
    expect(ids.filter((text) => String(text).includes('"kind":"goal"'))).toHaveLength(9);
  });

  test('covers the last ten minutes, unless minutes or since is sent', () => {
    expect(changes()).not.toEqual([]);
    scope = { ...scope, now: RECEIVED_AT / 1000 + 620 };
    expect(changes()).toEqual([]);
    expect(changes({ minutes: 11 })).not.toEqual([]);
    const { since, checked_at } = call('list_changes', { minutes: 11 });
    expect(Date.parse(String(checked_at)) - Date.parse(String(since))).toBe(660_000);
    expect(changes({ since })).not.toEqual([]);
    const both = { minutes: 5, since: String(since) };
    expect(refusal('list_changes', both)).toMatch(/^invalid_arguments: .*not both/);
  });
});
