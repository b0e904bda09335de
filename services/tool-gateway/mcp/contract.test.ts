import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { servedAccess } from '#views/store/served.ts';
import type { ViewsWorld } from '#views/testing/world.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { documentsOf, listResources, readResource } from './resources.ts';
import { CLOSED, type League, leagues, markOf, OPEN } from './testing/league.ts';
import { ServedMcp } from './testing/served.ts';
import { argumentsFor, scopeOf } from './testing/tool-calls.ts';
import { type Tool, ToolError, type ToolScope } from './tools/tool.ts';
import { TOOLS } from './tools.ts';
import { matchUri, tableUri } from './uris.ts';

const LEAGUES: readonly League[] = [OPEN, CLOSED];

let world: ViewsWorld;

beforeEach(() => {
  world = leagues();
});

const scopeTo = (access: Access): ToolScope => scopeOf(world, access);

function accessTo(shown: readonly League[], operations: Access['operations'] = null): Access {
  return { clientId: 7, competitions: new Set(shown.map(({ competition }) => competition)), operations };
}

const ids = LEAGUES.flatMap(({ teams, ...league }) => [...Object.values(league), ...teams]);
const names = ['Göteborg', 'zurich', 'ZÜR', 'rich', 'player', 'a', 'match', '201', '-', 'goteborg 101'];
const documents = LEAGUES.flatMap(({ competition, match, teams }) => [
  `competition-${competition}`,
  `match-${match}`,
  ...teams.map((team) => `team-${team}`),
]);
const words = names.concat('goteborg vs zurich', documents);

/** Generates values of an argument with that schema: valid ones, and some invalid ones. */
function argument(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer')
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ids) }, fc.integer());
  if (String(schema.description).includes('YYYY-MM-DD'))
    return fc.constantFrom('2026-08-01', '2026-08-15', '2026-09-21');
  if (schema.format === 'date-time')
    return fc.constantFrom('1970-01-01T00:00:00Z', '2026-09-21T14:13:00+00:00');
  return fc.oneof(fc.constantFrom(...words), fc.string());
}

/** Paging has its own bounds: ids would only be refused there. */
const PAGING = { limit: fc.constantFrom(1, 2, 50), page: fc.constantFrom(1, 1, 2) };

function argumentsOf(tool: Tool): fc.Arbitrary<Record<string, unknown>> {
  const { properties } = tool.inputSchema as unknown as {
    properties: Record<string, Record<string, unknown>>;
  };
  const { limit: _, page: __, ...own } = properties;
  const arbitraries = Object.entries(own).map(([name, schema]) => [name, argument(schema)] as const);
  return fc.record({ ...Object.fromEntries(arbitraries), ...PAGING }, { requiredKeys: [] });
}

/** Returns the text of an answer, or the message of its error. */
function textOf(tool: Tool, args: unknown, scope: ToolScope): string {
  try {
    return JSON.stringify(tool.call(args, scope));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.message;
  }
}

/** Whether a text contains a name of a league, or an id that only the league has. */
function shows(text: string, league: League): boolean {
  const { competition, season, stage, match, earlier } = league;
  const own = [competition, season, stage, match, earlier].join('|');
  return text.includes(markOf(league)) || new RegExp(`\\b(?:${own})\\b`).test(text);
}

describe('a contract without a competition', () => {
  test.each(TOOLS.map((tool) => [tool.name, tool] as const))('never sees it in %s', (_name, tool) => {
    for (const league of LEAGUES) {
      const args = argumentsFor(league)[tool.name];
      const ask = (shown: readonly League[]) => shows(textOf(tool, args, scopeTo(accessTo(shown))), league);
      // A contract with the league does see it, in all tools but list_sports.
      expect(ask([league])).toBe(tool.name !== 'list_sports');
      expect(ask(LEAGUES.filter((other) => other !== league))).toBe(false);
    }
    fc.assert(
      fc.property(fc.subarray([...LEAGUES]), argumentsOf(tool), (shown, args) => {
        const text = textOf(tool, args, scopeTo(accessTo(shown)));
        for (const league of LEAGUES) {
          if (shows(text, league)) expect(shown, `${JSON.stringify(args)} ${text}`).toContain(league);
        }
      }),
      { numRuns: rounds(300) },
    );
  });

  test('never sees it in a resource', () => {
    const uris = [...ids.flatMap((id) => [matchUri(id), tableUri(id)]), 'touchline://documents/contract'];
    const contractDocuments = documentsOf(createProviderData(world.views), '1.2.3');
    fc.assert(
      fc.property(fc.subarray([...LEAGUES]), fc.constantFrom(...uris), (shown, uri) => {
        const scope = scopeTo(accessTo(shown));
        const listed = JSON.stringify(listResources(contractDocuments, scope, undefined));
        for (const league of LEAGUES) {
          if (!shown.includes(league)) expect(shows(listed, league), listed).toBe(false);
          else expect(listed).toContain(tableUri(league.table));
        }
        let text = '';
        try {
          text = readResource(contractDocuments, scope, uri);
        } catch (error) {
          expect(String(error)).toContain('Resource not found');
        }
        for (const league of LEAGUES) if (shows(text, league)) expect(shown, uri).toContain(league);
      }),
      { numRuns: rounds(200) },
    );
  });
});

describe('a contract without an operation', () => {
  test.each([
    ['events.show', ['fetch', 'get_match']],
    ['events.incidents', ['fetch', 'get_match', 'list_changes']],
    ['events.index', ['search', 'fetch', 'list_matches', 'list_changes', 'get_head_to_head']],
    ['livescore.index', ['live_board']],
    ['competitions.index', ['search', 'fetch', 'list_competitions']],
    ['standings.index', ['list_standings', 'get_standings', 'get_top_scorers']],
    ['standings.show', ['get_standings', 'get_top_scorers']],
  ])('has no tool that answers from %s', async (operation, without) => {
    const all = TOOLS.flatMap(({ operations }) => operations);
    const operations = new Set<string>(all.filter((name) => name !== operation));
    const client = { token: 'narrow', access: { clientId: 7, competitions: null, operations } };
    const served = await ServedMcp.start({ world, clients: [client] });
    const connected = await served.connect('2026-07-28', 'narrow');
    const { tools } = await connected.listTools();
    const names = TOOLS.map(({ name }) => name).filter((name) => !without.includes(name));
    expect(tools.map(({ name }) => name)).toEqual(names);
    const [first = ''] = without;
    const refused = await connected.callTool({ name: first, arguments: { match_id: OPEN.match } });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('outside_contract') }],
    });
  });
});

test('a server of some competitions names them in its instructions, its document, and errors of resources', async () => {
  const competitions = new Set([OPEN.competition]);
  const access = servedAccess({ clientId: 7, competitions: null, operations: null }, competitions);
  const all = { token: 'all', access: { clientId: 8, competitions: null, operations: null } };
  const clients = [{ token: 'limited', access }, all];
  const served = await ServedMcp.start({ world: leagues(competitions), clients });
  const client = await served.connect('2026-07-28', 'limited');
  const words = 'his server serves only the competition 601';
  expect(client.getInstructions()).toContain(`T${words}.`);
  expect((await served.connect('2026-07-28', 'all')).getInstructions()).not.toContain(words);
  await expect(client.readResource({ uri: matchUri(CLOSED.match) })).rejects.toThrow(
    `Not found here: t${words}`,
  );
  const { contents } = await client.readResource({ uri: 'touchline://documents/contract' });
  const document = JSON.parse((contents[0] as { text: string }).text);
  expect(document).toMatchObject({ competitions: 'all', served_here: [601] });
});
