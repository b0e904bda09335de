import { beforeEach, describe, expect, test } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import type { Incident } from '#topics/generated/types.ts';
import { toolQueries } from '#views/queries/tool-queries.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { EVERYTHING, normalized, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { readResource } from './resources.ts';
import { CLOSED, event, incident, leagues, OPEN } from './testing/league.ts';
import { ToolError, type ToolScope } from './tools/tool.ts';
import { TOOLS } from './tools.ts';
import { matchUri } from './uris.ts';

let world: ViewsWorld;
let scope: ToolScope;

beforeEach(() => {
  world = leagues();
  scope = {
    data: createProviderData(world.views),
    queries: toolQueries(world.views),
    access: EVERYTHING,
    now: RECEIVED_AT / 1000,
  };
});

function call(name: string, args: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.call(args, scope);
}

function refusal(name: string, args: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(call(name, args));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${error.published}: ${error.message}`;
  }
}

test('a match says whether its feed is alive', () => {
  const feed = () => call('get_match', { match_id: OPEN.match }).feed;
  expect(feed()).toEqual({ alive: false, state: 'unknown', reason: null });
  world.health(null);
  world.health(OPEN.match);
  expect(feed()).toEqual({ alive: true, state: 'alive', reason: null });
  world.health(OPEN.match, { state: 'down', reason: 'backlog' });
  expect(feed()).toEqual({ alive: false, state: 'down', reason: 'backlog' });
});

test('a match has its score, guard and timeline, and says what does not stand', () => {
  const publish = (id: string, ut: number, changes: object) =>
    world.play(
      incidentMessage(
        { id, ut },
        incident(OPEN, { id: '5-300', event_time: '46:10', ...changes }),
        event(OPEN, OPEN.match),
      ),
    );
  publish('a', 1_790_000_100, { confirmation: 'tbd' });
  const before = call('get_match', { match_id: OPEN.match });
  expect(before).toMatchObject({
    score: { home: 2, away: 0 },
    firm_score: { home: 1, away: 0 },
    under_review: true,
  });
  expect(before.guard).toMatchObject({ safe: false, reasons: expect.arrayContaining(['under_review']) });
  publish('b', 1_790_000_110, { confirmation: 'cancelled' });
  const { timeline, score } = call('get_match', { match_id: OPEN.match });
  expect(score).toEqual({ home: 1, away: 0 });
  expect(timeline).toMatchObject([
    { incident_id: '5-110', minute: '10', type: 'Goal', stands: true, player: 'Göteborg player' },
    { incident_id: '5-300', minute: '45+2', stands: false, why: 'cancelled' },
  ]);
  expect(call('get_match', { match_id: OPEN.match, timeline: 'none' }).timeline).toEqual([]);
});

describe('list_changes', () => {
  type Shown = { readonly kind: string; readonly match_id: number; readonly [field: string]: unknown };
  let ut: number;
  beforeEach(() => {
    ut = 1_790_000_100;
  });
  const publish = (id: string, changes: object) => {
    ut += 10;
    world.play(
      incidentMessage(
        { id: `${ut}`, ut },
        incident(OPEN, { id, event_time: '46:10', ...changes }),
        event(OPEN, OPEN.match),
      ),
    );
  };
  const changes = (args: object = {}) =>
    call('list_changes', { match_id: OPEN.match, ...args }).changes as Shown[];
  const ofIncident = (id: string, args: object = {}) =>
    changes({ limit: 50, ...args }).filter(({ incident_id }) => incident_id === id);

  test('a goal: whose, when, and what it did to the score', () => {
    publish('5-300', {});
    expect(changes()[0]).toEqual({
      match_id: OPEN.match,
      match: 'Göteborg 101 - Göteborg 102',
      at: new Date(RECEIVED_AT).toISOString(),
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

  test('a goal under review, then confirmed, then removed', () => {
    publish('5-300', { confirmation: 'tbd' });
    expect(ofIncident('5-300')).toMatchObject([
      { kind: 'goal_to_be_confirmed', before: '1-0', score: '2-0' },
    ]);
    publish('5-300', { confirmation: 'confirmed' });
    publish('5-300', { action: 'delete' });
    const [removed, confirmed, reported] = ofIncident('5-300');
    expect(reported).toMatchObject({ kind: 'goal_to_be_confirmed', stands: false });
    expect(confirmed).toMatchObject({ kind: 'goal_confirmed', firm_score: '2-0' });
    expect(removed).toMatchObject({
      kind: 'goal_taken_back',
      before: '2-0',
      score: '1-0',
      taken_back_by: 'the provider removed it',
    });
  });

  test('a goal that another incident takes back is one change, with what took it back, and once more when it counts again', () => {
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

  test('two goals that one snapshot takes back are each joined with what took it back, by its parent or by the order of both', () => {
    const away = { participant_id: OPEN.teams[1] };
    publish('5-300', {});
    publish('5-301', { event_time: '48:00', ...away });
    publish('5-302', { event_time: '49:00', ...away });
    const listed = (id: string, changes: object) =>
      normalized(
        incidentMessage(
          { id: `${ut}`, ut: ut + 10 },
          incident(OPEN, { id, incident_id: 424, event_time: '50:00', ...changes }),
          event(OPEN, OPEN.match),
        ),
      ).incident?.incident as Incident;
    const goals = [
      ['5-300', { event_time: '46:10', incident_id: 413 }],
      ['5-301', { event_time: '48:00', incident_id: 413, ...away }],
      ['5-302', { event_time: '49:00', incident_id: 413, ...away }],
    ] as const;
    const cancellations = [
      // Without a parent: the nearest goal of the same side.
      ['5-310', {}],
      ['5-311', { event_time: '51:00', parent_id: '5-301', ...away }],
      ['5-312', { event_time: '52:00', ...away }],
    ] as const;
    const message = normalized(eventMessage({ id: 's', ut: ut + 10 }, event(OPEN, OPEN.match)));
    const snapshot = [
      listed('5-110', { event_time: '09:30', incident_id: 413 }),
      ...[...goals, ...cancellations].map(([id, fields]) => listed(id, fields)),
    ];
    world.take({ ...message, type: 'incident_snapshot', event_fields: [], incident: null, snapshot });
    const taken = changes({ only: 'taken_back' }).map(({ incident_id, taken_back_by }) => [
      incident_id,
      taken_back_by,
    ]);
    expect(Object.fromEntries(taken)).toEqual({
      '5-300': expect.stringContaining('incident 5-310,'),
      '5-301': expect.stringContaining('incident 5-311,'),
      '5-302': expect.stringContaining('incident 5-312,'),
    });
    // Where they are taken back themselves, only what is known for sure is said.
    for (const [id, fields] of cancellations)
      publish(id, { incident_id: 424, ...fields, confirmation: 'cancelled' });
    const since = changes({ only: 'taken_back' }).map(({ incident_id, taken_back_by }) => [
      incident_id,
      taken_back_by,
    ]);
    expect(Object.fromEntries(since)).toEqual({
      '5-300': 'another incident',
      '5-301': expect.stringContaining('incident 5-311,'),
      '5-302': 'another incident',
    });
  });

  test('an incident that takes no known goal back is a change of its own', () => {
    publish('5-301', { incident_id: 424, parent_id: '5-999' });
    expect(changes()[0]).toMatchObject({ kind: 'goal_cancellation', incident_id: '5-301' });
  });

  test('goals come first, status and guard in words', () => {
    const all = changes({ limit: 50 });
    expect(all[0]?.kind).toBe('goal');
    expect(all).toContainEqual(
      expect.objectContaining({ kind: 'status', what: 'Status: unknown to 1st half' }),
    );
  });

  test('the pages of a moment have every change once', () => {
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

  test('of the last ten minutes, unless minutes or since say otherwise', () => {
    expect(changes()).not.toEqual([]);
    scope = { ...scope, now: RECEIVED_AT / 1000 + 620 };
    expect(changes()).toEqual([]);
    expect(changes({ minutes: 11 })).not.toEqual([]);
    const { since, checked_at } = call('list_changes', { minutes: 11 });
    expect(Date.parse(String(checked_at)) - Date.parse(String(since))).toBe(660_000);
    expect(changes({ since })).not.toEqual([]);
    expect(refusal('list_changes', { minutes: 5, since: String(since) })).toMatch(
      /^invalid_arguments: .*not both/,
    );
  });
});

test('pages follow each other without gaps', () => {
  const seen: number[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const answer = call('list_matches', { season_id: OPEN.season, limit: 1, page });
    seen.push(...(answer.matches as { match_id: number }[]).map(({ match_id }) => match_id));
    expect(answer.total).toBe(2);
    page = answer.next_page as number | null;
  }
  expect(seen).toEqual([OPEN.earlier, OPEN.match]);
});

test('two teams: the finished match counts, the one that is played is listed', () => {
  const [team_id, opponent_id] = OPEN.teams;
  const answer = call('get_head_to_head', { team_id, opponent_id });
  expect(answer).toMatchObject({ played: 1, team_won: 1, team_goals: 2, opponent_goals: 1, total: 2 });
});

test('tables and top scorers are those of REST', () => {
  const { groups } = call('get_standings', { competition_id: OPEN.competition });
  expect(groups).toMatchObject([
    {
      rows: [
        { rank: 1, id: 101, values: { pts: 3 } },
        { rank: 2, id: 102 },
      ],
    },
  ]);
  const { scorers } = call('get_top_scorers', { season_id: OPEN.season });
  expect(scorers).toMatchObject([
    { rank: 1, player: 'Göteborg 9000', team: 'Göteborg club', goals: 5, matches: 1 },
  ]);
});

test('a match opens with whether to act on it, and why not', () => {
  const act = () => {
    const answer = call('get_match', { match_id: OPEN.match });
    expect(Object.keys(answer)[0]).toBe('act');
    return answer.act;
  };
  expect(act()).toBe('Do not act: the feed of the match is unknown.');
  world.health(null);
  world.health(OPEN.match);
  expect(act()).toBe('You may act on the firm score 1-0: the guard is safe and the feed is alive.');
  world.play(
    incidentMessage(
      { id: 'a', ut: 1_790_000_100 },
      incident(OPEN, { id: '5-300', confirmation: 'tbd' }),
      event(OPEN, OPEN.match),
    ),
  );
  world.health(OPEN.match, { state: 'stale', reason: 'silence' });
  expect(act()).toMatch(
    /^Do not act: a goal is under review.*, the feed of the match is stale \(silence\)\.$/,
  );
  expect(call('get_match', { match_id: OPEN.earlier }).act).toBe('Nothing to act on: the match is finished.');
});

test("the provider's flag of a verified result is read, not quoted", () => {
  world.play(
    eventMessage({ id: 'v', ut: 1_790_000_100 }, event(OPEN, OPEN.match, { verified_result: 'yes' })),
  );
  expect(call('get_match', { match_id: OPEN.match }).verified_result).toBe('yes');
});

test('the resource of a match has its whole timeline', () => {
  for (let n = 0; n < 60; n++)
    world.play(
      incidentMessage(
        { id: `n${n}`, ut: 1_790_000_100 + n },
        incident(OPEN, { id: `5-${400 + n}`, incident_id: 408 }),
        event(OPEN, OPEN.match),
      ),
    );
  const whole = JSON.parse(readResource([], scope, matchUri(OPEN.match)));
  expect(whole.timeline).toHaveLength(61);
  expect(whole).toMatchObject({ act: expect.any(String), total: 61, next_page: null });
});

test('the live board is of one competition or team where asked', () => {
  const live = (args: object) =>
    (call('live_board', { ...args }).matches as { match_id: number }[]).map(({ match_id }) => match_id);
  expect(live({})).toEqual([OPEN.match, CLOSED.match]);
  expect(live({ competition_id: CLOSED.competition })).toEqual([CLOSED.match]);
  expect(live({ team_id: OPEN.teams[1] })).toEqual([OPEN.match]);
  expect(live({ competition_id: 999_999 })).toEqual([]);
});

test('a table is of one group where asked', () => {
  const table = world.views.table(OPEN.table) as { groups: { participants: unknown[] }[] };
  const [first, second] = table.groups[0]?.participants ?? [];
  const groups = [
    { ...table.groups[0], name: 'Group A', participants: [first] },
    { ...table.groups[0], name: 'Group B', participants: [second] },
  ];
  world.give({
    topic: 'standings',
    partition: 0,
    offset: 0,
    key: String(OPEN.table),
    value: {
      standings_id: OPEN.table,
      version: 2,
      type_id: 2,
      object_type: 'season',
      object_id: OPEN.season,
      competition_id: OPEN.competition,
      season_id: OPEN.season,
      ut: 1_700_000_001,
      cause: null,
      body: JSON.stringify({ ...table, groups }),
    },
  });
  for (const group of ['b', 'Group B', ' group b '])
    expect(call('get_standings', { standings_id: OPEN.table, group })).toMatchObject({
      total: 1,
      groups: [{ name: 'Group B', rows: [{ id: 102 }] }],
    });
  expect(refusal('get_standings', { standings_id: OPEN.table, group: 'C' })).toMatch(
    /^not_found: .*It has Group A, Group B\./,
  );
});

test('a search that finds nothing says that players are not searched', () => {
  expect(call('search', { query: 'Griezmann' })).toMatchObject({
    results: [],
    hint: expect.stringMatching(/players are not searched.*get_match.*get_top_scorers/),
  });
  expect(call('search', { query: 'goteborg' }).hint).toBeNull();
});

describe('an unknown argument is refused, and the right one named', () => {
  test.each([
    ['list_matches', { team: 'France' }, /team: unknown argument; send team_id \(search finds it by name\)/],
    ['live_board', { competition: 1 }, /competition: unknown argument; send competition_id/],
    ['live_board', { competitionId: 1 }, /competitionId: .* send competition_id/],
    ['get_match', { match_id: 1, event_id: 1 }, /event_id: .* send match_id/],
    ['list_matches', { date: '2026-01-01' }, /date: .* send date_from/],
    ['search', { query: 'goteborg', q: 'x' }, /q: .* send query/],
    ['get_standings', { season: 1 }, /season: .* send season_id/],
    ['live_board', { colour: 'red' }, /colour: unknown argument; known are show, sport_id,/],
  ])('%s %j', (name, args, wanted) => {
    expect(refusal(name, args)).toMatch(/^invalid_arguments: /);
    expect(refusal(name, args)).toMatch(wanted);
  });

  test('the schemas say so', () => {
    for (const { name, inputSchema } of TOOLS) expect(inputSchema.additionalProperties, name).toBe(false);
  });
});

describe('errors say what to do', () => {
  test.each([
    ['list_changes', { since: '2026-08-15T14:30:00' }, /^invalid_arguments: .*since: .*time zone.*Z/],
    ['get_head_to_head', { team_id: 5, opponent_id: 101 }, /^not_found: team_id: no such team.*search/],
    ['get_head_to_head', { team_id: 101, opponent_id: 5 }, /^not_found: opponent_id: no such team.*search/],
    [
      'get_standings',
      { season_id: OPEN.season, stage_id: 5 },
      /^not_found: .*no tables of that stage.*without stage_id/,
    ],
    ['get_match', { match_id: 1 }, /^not_found: .*list_matches/],
    ['get_match', {}, /^invalid_arguments: .*match_id/],
    ['list_matches', { limit: 51 }, /^invalid_arguments: .*limit.*50/],
    ['list_matches', { date_from: '2026-01-01', date_to: '2026-12-31' }, /^invalid_arguments: .*31 days/],
    ['list_changes', { since: 'yesterday' }, /^invalid_arguments: .*since/],
    ['get_standings', {}, /^invalid_arguments: .*season_id or competition_id/],
    [
      'get_standings',
      { season_id: OPEN.season, type_id: 7 },
      /^not_found: .*types 2 League standings, 6 Top scorers/,
    ],
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

test('every tool is described and has a schema of what it takes and answers', () => {
  for (const { name, title, description, inputSchema, outputSchema } of TOOLS) {
    expect(name).toMatch(/^[a-z_]{3,40}$/);
    expect(title.length * description.length, name).toBeGreaterThan(0);
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema, name).toMatchObject({ type: 'object', properties: expect.any(Object) });
    }
  }
});
