import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FIRST_STANDINGS_ID } from '#domain/standings/table-id.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { Incident } from '#records/types.ts';
import { servedAccess } from '#views/store/served.ts';
import { tableRecord } from '#views/testing/records.ts';
import { EVERYTHING, normalized, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { readResource } from './resources.ts';
import { CLOSED, changedTable, event, goalMessage, leagues, OPEN } from './testing/league.ts';
import { callTool, refusalOf, scopeOf, type ToolArguments } from './testing/tool-calls.ts';
import type { ToolScope } from './tools/tool.ts';
import { TOOLS } from './tools.ts';
import { matchUri } from './uris.ts';

let world: ViewsWorld;
let scope: ToolScope;

beforeEach(() => {
  world = leagues();
  scope = scopeOf(world);
});

const call = (name: string, args?: ToolArguments) => callTool(scope, name, args);
const refusal = (name: string, args: ToolArguments) => refusalOf(scope, name, args);

test('a match has its score, guard and timeline, with incidents that do not stand', () => {
  const publish = (id: string, ut: number, changes: object) =>
    world.play(goalMessage(OPEN, { id, ut }, { id: '5-300', event_time: '46:10', ...changes }));
  publish('a', 1_790_000_100, { confirmation: 'tbd' });
  const before = call('get_match', { match_id: OPEN.match });
  const [score2, score1] = [2, 1].map((home) => ({ home, away: 0 }));
  expect(before).toMatchObject({ score: score2, firm_score: score1, under_review: true });
  expect(before.guard).toMatchObject({ safe: false, reasons: expect.arrayContaining(['under_review']) });
  publish('b', 1_790_000_110, { confirmation: 'cancelled' });
  const { timeline, score } = call('get_match', { match_id: OPEN.match });
  expect(score).toEqual(score1);
  expect(timeline).toMatchObject([
    { incident_id: '5-110', minute: '10', type: 'Goal', stands: true, player: 'Göteborg player' },
    { incident_id: '5-300', minute: '45+2', stands: false, why: 'cancelled' },
  ]);
  expect(call('get_match', { match_id: OPEN.match, timeline: 'none' }).timeline).toEqual([]);
});

test('a match opens with whether to act on it, and why not', () => {
  const act = () => {
    const answer = call('get_match', { match_id: OPEN.match });
    expect(Object.keys(answer)[0]).toBe('act');
    return answer.act;
  };
  expect(act()).toBe('Do not act: feed health unknown.');
  world.health(null);
  world.health(OPEN.match);
  expect(act()).toBe('You may act on the firm score 1-0: the guard is safe and the feed is alive.');
  const head = { id: 'a', ut: 1_790_000_100 };
  world.play(goalMessage(OPEN, head, { id: '5-300', confirmation: 'tbd' }));
  world.health(OPEN.match, { state: 'stale', reason: 'silence' });
  expect(act()).toMatch(/^Do not act: score under review.*, feed stale \(nothing received\)\.$/);
  expect(call('get_match', { match_id: OPEN.earlier }).act).toBe('Nothing to act on: the match is finished.');
});

test("the provider's flag of a verified result is a boolean", () => {
  const verified = event(OPEN, OPEN.match, { verified_result: 'yes' });
  world.play(eventMessage({ id: 'v', ut: 1_790_000_100 }, verified));
  expect(call('get_match', { match_id: OPEN.match }).verified_result).toBe(true);
});

test('the resource of a match has its whole timeline', () => {
  for (let n = 400; n < 460; n++)
    world.play(goalMessage(OPEN, { id: `n${n}`, ut: 1_790_000_000 + n }, { id: `5-${n}`, incident_id: 408 }));
  const whole = JSON.parse(readResource([], scope, matchUri(OPEN.match)));
  expect(whole.timeline).toHaveLength(61);
  expect(whole).toMatchObject({ act: expect.any(String), total: 61, next_page: null });
});

const SEASON = { season_id: OPEN.season };

describe('errors say what to do', () => {
  test.each([
    ['list_changes', { since: '2026-08-15T14:30:00' }, /^invalid_arguments: .*since: .*time zone.*Z/],
    ['get_head_to_head', { team_id: 5, opponent_id: 101 }, /^not_found: team_id: no such team.*search/],
    ['get_head_to_head', { team_id: 101, opponent_id: 5 }, /^not_found: opponent_id: no such team.*search/],
    ['get_standings', { ...SEASON, stage_id: 5 }, /^not_found: .*no such table.*standings_id/],
    ['live_board', { colour: 'red' }, /^invalid_arguments: .* of show, sport_id,.*"colour"/],
    ['get_match', { match_id: 1 }, /^not_found: .*list_matches/],
    ['get_match', {}, /^invalid_arguments: .*match_id/],
    ['list_matches', { limit: 51 }, /^invalid_arguments: .*limit.*50/],
    ['list_matches', { date_from: '2026-01-01', date_to: '2026-12-31' }, /^invalid_arguments: .*31 days/],
    ['list_changes', { since: 'yesterday' }, /^invalid_arguments: .*since/],
    ['get_standings', {}, /^invalid_arguments: .*season_id or competition_id/],
    ['get_standings', { ...SEASON, type_id: 7 }, /^not_found: .*no such table.*standings_id/],
    ['get_standings', { standings_id: 5 }, /^not_found: .*list_standings/],
    ['list_standings', { competition_id: 5 }, /^not_found: .*list_competitions/],
    ['get_head_to_head', { team_id: 1, opponent_id: 1 }, /^invalid_arguments: .*same team/],
  ])('%s %j', (name, args, wanted) => {
    expect(refusal(name, args)).toMatch(wanted);
  });

  test('outside the contract', () => {
    scope = { ...scope, access: { ...EVERYTHING, competitions: new Set([CLOSED.competition]) } };
    for (const [name, args] of [
      ['get_match', { match_id: OPEN.match }],
      ['list_matches', { season_id: OPEN.season }],
      ['get_standings', { standings_id: OPEN.table }],
    ] as const)
      expect(refusal(name, args)).toMatch(/^outside_contract: .*list_competitions/);
  });
});

test('a server of some competitions names them, and does not say whether others exist', () => {
  const limited = leagues(new Set([CLOSED.competition]));
  scope = scopeOf(limited, servedAccess(EVERYTHING, new Set([CLOSED.competition])));
  const served = `this server serves only the competition ${CLOSED.competition}`;
  const notServed = `not_served: Not found here: ${served}. It may belong to another one, or be unknown.`;
  for (const [name, args] of [
    ['get_match', { match_id: OPEN.match }],
    ['get_match', { match_id: 1 }],
    ['list_matches', { competition_id: OPEN.competition }],
    ['list_matches', { season_id: OPEN.season }],
    ['live_board', { competition_id: OPEN.competition }],
    ['list_changes', { match_id: OPEN.match }],
    ['get_standings', { standings_id: OPEN.table }],
    ['list_standings', { competition_id: OPEN.competition }],
  ] as const)
    expect(refusal(name, args)).toBe(notServed);
  const teams = { team_id: CLOSED.teams[0], opponent_id: OPEN.teams[0] };
  const words = /^not_found: .* This server serves only the competition 602\.$/;
  expect(refusal('get_head_to_head', teams)).toMatch(words);
  const { matches } = callTool(scope, 'list_matches', { date_from: '2026-08-01', date_to: '2026-08-20' });
  expect(matches).toMatchObject([CLOSED.earlier, CLOSED.match].map((match_id) => ({ match_id })));
});

describe('search and fetch have the shape that connectors of research assistants call', () => {
  const found = (query: string) => call('search', { query }).results as Record<string, unknown>[];
  const [MATCH, EARLIER] = [`match-${OPEN.match}`, `match-${OPEN.earlier}`];

  test('finds a team with its match in play and its last one', () => {
    const [team, ...matches] = found('goteborg 101');
    const title = expect.stringContaining('Göteborg');
    expect(team).toMatchObject({ id: 'team-101', title, url: 'touchline://teams/101' });
    expect(matches.map(({ id }) => id)).toEqual([MATCH, EARLIER]);
  });

  test('finds the matches of two teams', () => {
    for (const between of [' vs ', ' - ', ' '])
      for (const query of [`goteborg 101${between}goteborg 102`, `goteborg 102${between}goteborg 101`])
        expect(found(query).map(({ id }) => id)).toEqual([MATCH, EARLIER]);
    expect(found('goteborg 101 vs zurich 201')).toEqual([]);
  });

  test('links to the board where its address is known', () => {
    scope = { ...scope, boardUrl: 'https://board.example' };
    expect(found('goteborg 101').map(({ url }) => url)).toEqual([
      'https://board.example/',
      `https://board.example/match/${OPEN.match}`,
      `https://board.example/match/${OPEN.earlier}`,
    ]);
  });

  test('fetches each result as one text', () => {
    const fetched = (id: string) => {
      const { text, ...rest } = call('fetch', { id });
      return { ...rest, content: JSON.parse(text as string) };
    };
    expect(fetched(MATCH)).toMatchObject({
      id: MATCH,
      url: matchUri(OPEN.match),
      metadata: { kind: 'match' },
      content: { act: expect.stringContaining('Do not act'), timeline: [{ type: 'Goal' }] },
    });
    expect(call('fetch', { id: String(OPEN.match) }).id).toBe(MATCH);
    for (const id of ['team-101', `competition-${OPEN.competition}`])
      expect(fetched(id)).toMatchObject({
        title: expect.stringContaining('Göteborg'),
        content: { matches: [{ match_id: OPEN.match }, { match_id: OPEN.earlier }] },
      });
    for (const id of ['match-5', 'team-5', 'competition-5', 'table-71', 'x'])
      expect(refusal('fetch', { id })).toMatch(/^not_found: /);
  });
});

test('the default list of matches has those in play, whenever they began', () => {
  const { now } = scope;
  const listedAfter = (hours: number) => {
    scope = { ...scope, now: now + hours * 3_600 };
    return (call('list_matches').matches as { match_id: number }[]).map(({ match_id }) => match_id);
  };
  expect(listedAfter(5)).toEqual([OPEN.match, CLOSED.match]);
  expect(listedAfter(7)).toEqual([]);
});

/** Returns the keywords of a schema that some clients refuse, by path. */
function refusedBySome(schema: unknown, io: 'input' | 'output', path = '$'): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Readonly<Record<string, unknown>>;
  return [
    ...(Array.isArray(node.type) ? [`${path}: a list of types`] : []),
    ...(typeof node.format === 'string' && node.format !== 'date-time'
      ? [`${path}: format ${node.format}`]
      : []),
    ...(io === 'input' && 'additionalProperties' in node ? [`${path}: additionalProperties`] : []),
    ...(io === 'input' && ('anyOf' in node || '$ref' in node) ? [`${path}: anyOf or $ref`] : []),
    ...Object.entries(node).flatMap(([name, inner]) => refusedBySome(inner, io, `${path}.${name}`)),
  ];
}

test('no schema has a keyword that a client of a common assistant refuses', () => {
  expect(refusedBySome({ type: ['string', 'null'], x: { format: 'date' } }, 'output')).toHaveLength(2);
  for (const { name, inputSchema, outputSchema } of TOOLS) {
    expect(refusedBySome(inputSchema, 'input'), name).toEqual([]);
    expect(refusedBySome(outputSchema, 'output'), name).toEqual([]);
  }
});

test('a converter of schemas reads each of them, and the answers of the tools by it', () => {
  const readBy = (schema: unknown) => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  for (const { inputSchema, outputSchema } of TOOLS)
    for (const schema of [inputSchema, outputSchema]) readBy(schema);
  const asked: readonly (readonly [string, ToolArguments])[] = [
    ['list_matches', {}],
    ['get_match', { match_id: OPEN.match }],
    ['search', { query: 'Göteborg' }],
    ['fetch', { id: `match-${OPEN.match}` }],
  ];
  for (const [name, args] of asked) {
    const tool = TOOLS.find((one) => one.name === name);
    expect(readBy(tool?.inputSchema).safeParse(args).error, name).toBeUndefined();
    const odd = { ...args, match_id: 'x', query: 5, id: 5, limit: 'x' };
    expect(readBy(tool?.inputSchema).safeParse(odd).success, name).toBe(false);
    expect(readBy(tool?.outputSchema).safeParse(call(name, args)).error, name).toBeUndefined();
  }
});

test('tables and top scorers are those of REST', () => {
  // A table that rules define, such as one of the third-placed teams, is not the league table of its season.
  const of = { object_type: 'season', object_id: OPEN.season, season_id: OPEN.season };
  world.give(tableRecord(FIRST_STANDINGS_ID, { ...of, competition_id: OPEN.competition, name: 'Thirds' }));
  const { groups } = call('get_standings', { competition_id: OPEN.competition });
  const rows = [{ rank: 1, id: 101, values: { pts: 3 } }, { id: 102 }];
  expect(groups).toMatchObject([{ rows }]);
  const { scorers } = call('get_top_scorers', { season_id: OPEN.season });
  const first = { rank: 1, player: 'Göteborg 9000', team: 'Göteborg club', goals: 5, matches: 1 };
  expect(scorers).toMatchObject([first]);
});

test('a table shows one group on request', () => {
  const table = world.views.table(OPEN.table) as { groups: { participants: unknown[] }[] };
  const [first, second] = table.groups[0]?.participants ?? [];
  const groups = [
    { ...table.groups[0], name: 'Group A', participants: [first] },
    { ...table.groups[0], name: 'Group B', participants: [second] },
  ];
  world.give(changedTable(OPEN, { ...table, groups }));
  for (const group of ['b', 'Group B', ' group b '])
    expect(call('get_standings', { standings_id: OPEN.table, group })).toMatchObject({
      total: 1,
      groups: [{ name: 'Group B', rows: [{ id: 102 }] }],
    });
  const other = refusal('get_standings', { standings_id: OPEN.table, group: 'C' });
  expect(other).toMatch(/^not_found: .*It has Group A, Group B\./);
});

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
