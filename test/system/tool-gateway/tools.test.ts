/** The tools of a system that plays a tournament, asked by the protocol's own client and by its inspector. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { finalScore } from '../../../data/dataset.ts';
import { TOOLS } from '../../../services/tool-gateway/mcp/tools.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { DATASET } from '../../support/system.ts';
import { MATCHES, Tournament } from './tournament.ts';

const FACTS = DATASET.matches.slice(0, MATCHES);
const COMPETITION = DATASET.competition.competition.id;
const SEASON = DATASET.competition.season.id;
const [FIRST] = FACTS;
const INSPECTOR = join(import.meta.dirname, '../../../node_modules/.bin/inspector');

type Fields = Readonly<Record<string, unknown>>;
type Summary = {
  match_id: number;
  status_type: string;
  score: { home: number; away: number } | null;
  home: { name: string };
};

/** Arguments for which each tool has an answer about the tournament. */
const ASKED: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  search: { query: 'RUSSIÁ' },
  list_sports: {},
  list_competitions: {},
  list_matches: { competition_id: COMPETITION },
  live_board: { show: 'live' },
  get_match: { match_id: FIRST?.id ?? 0 },
  list_changes: { since: '2000-01-01T00:00:00Z' },
  get_head_to_head: { team_id: FIRST?.home ?? 0, opponent_id: FIRST?.away ?? 0 },
  list_standings: { season_id: SEASON },
  get_standings: { season_id: SEASON, type_id: 2 },
  get_top_scorers: { season_id: SEASON },
};

let tournament: Tournament;
/** Notifications of matches, and live matches that were seen, while it was played. */
let notified: string[];
let seenLive: Summary[];
/** Notifications that the list of resources has changed. */
let listChanges: number;

async function call(client: Client, name: string, args: Fields = {}): Promise<Fields> {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: { ...args } });
  expect(isError, `${name} ${JSON.stringify(content)}`).toBeFalsy();
  return structuredContent as Fields;
}

beforeAll(async () => {
  tournament = await Tournament.create();
  const client = await tournament.connect(await tournament.token(), { pin: '2026-07-28' });
  notified = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void notified.push(params.uri),
  );
  listChanges = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    listChanges += 1;
  });
  await client.listen({
    resourceSubscriptions: FACTS.map(({ id }) => `touchline://matches/${id}`),
    resourcesListChanged: true,
  });
  const simulator = await tournament.play();
  let asked = 0;
  seenLive = await until('a match is live', async () => {
    // At most one read for each notification: a token has 120 requests a minute.
    if (notified.length === asked) return undefined;
    asked = notified.length;
    const { matches } = await call(client, 'live_board');
    return (matches as Summary[]).length > 0 ? (matches as Summary[]) : undefined;
  });
  await tournament.played(simulator);
});

test('while it is played, the board has live matches and subscribers are notified of changes', async () => {
  expect(seenLive.every(({ status_type }) => status_type === 'live')).toBe(true);
  const uris = new Set(FACTS.map(({ id }) => `touchline://matches/${id}`));
  expect(new Set(notified)).toEqual(uris);
  // Matches begin and end.
  expect(listChanges).toBeGreaterThan(0);
});

describe.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)('a client of revision %s', (_revision, mode) => {
  test('lists and calls every tool', async () => {
    const client = await tournament.connect(await tournament.token(), mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { name } of tools) {
      const shown = await until(`${name} has an answer`, async () => {
        const { isError, structuredContent } = await client.callTool({ name, arguments: { ...ASKED[name] } });
        return isError === true ? undefined : (structuredContent as Fields);
      });
      const lists = Object.values(shown).filter(Array.isArray).flat();
      // Nothing is live any more.
      if (name !== 'live_board') expect(lists, name).not.toEqual([]);
    }
  });

  test('is given prompts, and completes their arguments and those of resources by name', async () => {
    const client = await tournament.connect(await tournament.token(), mode);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['may-i-act', 'catch-up', 'table']);
    const ofPrompt = async (name: string, value: string, competition = '') => {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: name === 'team' ? 'may-i-act' : 'table' },
        argument: { name, value },
        context: { arguments: { competition } },
      });
      return completion.values;
    };
    const ofResource = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
        .values;
    const [team = ''] = await ofPrompt('team', 'russ');
    expect(team).toBe('Russia');
    const [competition = ''] = await until('the competition is known', async () => {
      const found = await ofPrompt('competition', 'world');
      return found.length > 0 ? found : undefined;
    });
    const seasons = await ofPrompt('season', '2018', competition);
    expect(seasons).toHaveLength(1);
    const { messages } = await client.getPrompt({
      name: 'table',
      arguments: { competition, season: seasons[0] ?? '' },
    });
    expect(JSON.stringify(messages)).toContain(competition);
    const matches = await ofResource('touchline://matches/{match_id}', 'match_id', team);
    expect(matches).toContain(String(FIRST?.id));
    const tables = await until('its tables are known', async () => {
      const found = await ofResource('touchline://standings/{standings_id}', 'standings_id', competition);
      return found.length > 0 ? found : undefined;
    });
    const { contents } = await client.readResource({ uri: `touchline://standings/${tables[0]}` });
    expect(JSON.stringify(contents)).toContain('participants');
  });

  test('gets the official final scores, the guard and the timeline', async () => {
    const client = await tournament.connect(await tournament.token(), mode);
    await untilTrue('every match is finished', async () => {
      const { matches } = await call(client, 'list_matches', { season_id: SEASON, limit: 50 });
      const byId = new Map((matches as Summary[]).map((match) => [match.match_id, match]));
      return FACTS.every((facts) => {
        const [home, away] = finalScore(facts);
        const { score, status_type } = byId.get(facts.id) ?? {};
        return status_type === 'finished' && score?.home === home && score.away === away;
      });
    });
    const { results } = await call(client, 'search', { query: 'russiá', kind: 'team' });
    expect(results).toMatchObject([{ kind: 'team', team_id: FIRST?.home, competition_id: COMPETITION }]);
    const { timeline, guard } = await call(client, 'get_match', { match_id: FIRST?.id, timeline: 'all' });
    expect(guard).toMatchObject({ safe: expect.any(Boolean) });
    const goals = (timeline as { type_id: number; stands: boolean }[]).filter(
      ({ type_id, stands }) => [413, 421, 423].includes(type_id) && stands,
    );
    const [home, away] = FIRST === undefined ? [0, 0] : finalScore(FIRST);
    expect(goals).toHaveLength(home + away);
  });
});

test('the command line of the inspector connects, lists the tools, calls one, and reads a resource', async () => {
  const { token } = await tournament.token();
  const inspect = async (...args: string[]) => {
    const command = ['--cli', tournament.endpoint().href, '--transport', 'http'];
    const header = ['--header', `Authorization: Bearer ${token}`];
    const { stdout } = await promisify(execFile)(INSPECTOR, [...command, ...args, ...header], {
      env: { ...process.env, PATH: `${join(INSPECTOR, '..')}:${process.env.PATH}` },
      maxBuffer: 2 ** 26,
    });
    return JSON.parse(stdout);
  };
  const { tools } = await inspect('--method', 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
  // Each call is a process of the inspector. That every tool answers is shown by the client above.
  const answer = await inspect(
    '--method',
    'tools/call',
    '--tool-name',
    'get_match',
    '--tool-arg',
    `match_id=${FIRST?.id}`,
  );
  expect(answer.isError, JSON.stringify(answer)).toBeFalsy();
  expect(answer.structuredContent).toMatchObject({ match_id: FIRST?.id });
  const { resources } = await inspect('--method', 'resources/list');
  const uris: string[] = resources.map(({ uri }: { uri: string }) => uri);
  const table = uris.find((uri) => uri.startsWith('touchline://standings/')) ?? '';
  const { contents } = await inspect('--method', 'resources/read', '--uri', table);
  expect(JSON.parse(contents[0].text)).toBeTypeOf('object');
});

test('a contract without the competition has none of it', async () => {
  const narrow = await tournament.token('--competitions 999999');
  const client = await tournament.connect(narrow, { pin: '2026-07-28' });
  for (const { name } of TOOLS) {
    const answer = await client.callTool({ name, arguments: { ...ASKED[name] } });
    const shown = JSON.stringify(answer);
    expect(shown, name).not.toMatch(/russia|world cup/i);
    for (const { id } of FACTS) expect(shown, name).not.toContain(String(id));
  }
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).filter((uri) => !uri.includes('documents'))).toEqual([]);
});

test('any replica answers, and a token that is revoked is refused by each within seconds, its streams too', async () => {
  const own = await tournament.token('--name revoked');
  const [first, second] = tournament.gateways;
  const client = await tournament.connect(own, 'legacy', first);
  await call(client, 'list_sports');
  const other = await until('the other replica knows the token', () =>
    tournament.connect(own, { pin: '2026-07-28' }, second).catch(() => undefined),
  );
  const stream = await other.listen({ resourceSubscriptions: ['touchline://matches/1'] });
  await tournament.revoke(own);
  expect(await stream.closed).toBe('remote');
  for (const gateway of tournament.gateways) {
    await untilTrue('the token is refused', async () => {
      const headers = { authorization: `Bearer ${own.token}` };
      return (
        (await fetch(tournament.endpoint(gateway), { method: 'POST', headers, body: '{}' })).status === 401
      );
    });
  }
});
