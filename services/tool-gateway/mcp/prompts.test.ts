import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { CLOSED, event, leagues, OPEN } from './testing/league.ts';
import { ALL, ALL_REVISIONS, NARROW, type Revision, ServedMcp } from './testing/served.ts';
import { MATCH_TEMPLATE, TABLE_TEMPLATE } from './uris.ts';

/** A contract without tables. */
const EVENTS = ['events.index', 'events.show', 'events.incidents'];
const WITHOUT_TABLES: Access['operations'] = new Set([...EVENTS, 'competitions.index', 'livescore.index']);

/** No prompt or completion changes its world. */
const world = leagues();
const connected = async (revision: Revision, client = ALL) =>
  (await ServedMcp.start({ world, clients: [client] })).connect(revision, client.token);

async function textOf(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
}

describe.each(ALL_REVISIONS)('prompts (revision %s)', (revision) => {
  test('are listed with their arguments, and return a text with the values', async () => {
    const client = await connected(revision);
    const { prompts } = await client.listPrompts();
    const listed = prompts.map(({ name, arguments: args = [] }) =>
      [name, ...args.map((one) => `${one.name}${one.required ? '' : '?'}`)].join(' '),
    );
    const table = 'table competition season? group?';
    expect(listed).toEqual(['may-i-act team', 'catch-up minutes? competition?', table]);
    expect(await textOf(client, 'may-i-act', { team: ' France ' })).toContain('the match of France now?');
    expect(await textOf(client, 'catch-up', { competition: '' })).toMatch(/in the last 10 minutes\?/);
    const ofGroup = await textOf(client, 'table', { competition: 'World Cup', group: 'C' });
    expect(ofGroup).toContain('group C of World Cup?');
  });

  test('name existing tools only', async () => {
    const client = await connected(revision);
    const { tools } = await client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    const texts = [
      await textOf(client, 'may-i-act', { team: 'France' }),
      await textOf(client, 'catch-up', { competition: 'World Cup' }),
      await textOf(client, 'table', { competition: 'World Cup', season: '2018' }),
    ];
    const named = texts.flatMap((text) => text.match(/\b(?:get|list|live)_[a-z]+\b/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  test('are refused when unknown, or when an argument is missing or too long', async () => {
    const client = await connected(revision);
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('Unknown prompt: nothing');
    const mayAct = (team: string) => client.getPrompt({ name: 'may-i-act', arguments: { team } });
    await expect(mayAct(' ')).rejects.toThrow('needs the argument team');
    await expect(mayAct('x'.repeat(101))).rejects.toThrow('longer than 100');
  });

  test('are listed only when the contract has all their tools', async () => {
    const access = { ...ALL.access, operations: WITHOUT_TABLES };
    const client = await connected(revision, { ...ALL, access });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['may-i-act', 'catch-up']);
    const table = client.getPrompt({ name: 'table', arguments: { competition: 'x' } });
    await expect(table).rejects.toThrow('Unknown prompt');
  });
});

describe.each(ALL_REVISIONS)('completions (revision %s)', (revision) => {
  type Asked = Parameters<Client['complete']>[0];
  const complete = async (client: Client, asked: Asked) => (await client.complete(asked)).completion.values;
  type Known = Record<string, string>;
  const ofPrompt = (client: Client, prompt: string, name: string, value: string, known?: Known) => {
    const ref = { type: 'ref/prompt', name: prompt } as const;
    return complete(client, { ref, argument: { name, value }, context: { arguments: known } });
  };
  const ofTemplate = (client: Client, uri: string, name: string, value: string) =>
    complete(client, { ref: { type: 'ref/resource', uri }, argument: { name, value } });

  test('of prompts are names of teams, competitions, and seasons of a competition', async () => {
    const client = await connected(revision);
    const teams = await ofPrompt(client, 'may-i-act', 'team', 'goteb');
    expect(teams.toSorted()).toEqual(['Göteborg 101', 'Göteborg 102']);
    expect(await ofPrompt(client, 'table', 'competition', 'zur')).toEqual(['Zürich competition']);
    expect(await ofPrompt(client, 'table', 'competition', '')).toHaveLength(2);
    const ofZurich = (value: string) => ofPrompt(client, 'table', 'season', value, { competition: 'Zürich' });
    expect(await ofZurich('sea')).toEqual(['Zürich season']);
    expect(await ofZurich('2018')).toEqual([]);
    expect(await ofPrompt(client, 'table', 'season', '')).toEqual([]);
    expect(await ofPrompt(client, 'catch-up', 'minutes', '1')).toEqual([]);
  });

  test('of resources are ids of live matches, matches of a team, and tables of a competition', async () => {
    const client = await connected(revision);
    const matches = (value: string) => ofTemplate(client, MATCH_TEMPLATE, 'match_id', value);
    const tables = (value: string) => ofTemplate(client, TABLE_TEMPLATE, 'standings_id', value);
    expect(await matches('')).toEqual([OPEN, CLOSED].map(({ match }) => String(match)));
    expect(await matches('7')).toEqual([String(OPEN.match)]);
    expect((await matches('göteborg 101')).toSorted()).toEqual([OPEN.match, OPEN.earlier].map(String));
    expect(await tables('8')).toEqual([CLOSED.table, CLOSED.scorers].map(String));
    expect(await tables('zurich')).toEqual([CLOSED.table, CLOSED.scorers].map(String));
    expect(await tables('')).toHaveLength(4);
  });

  test('contain nothing outside the contract', async () => {
    const client = await connected(revision, NARROW);
    expect(await ofPrompt(client, 'may-i-act', 'team', 'zurich')).toEqual([]);
    expect(await ofPrompt(client, 'table', 'competition', '')).toEqual(['Göteborg competition']);
    expect(await ofPrompt(client, 'table', 'season', '', { competition: 'Zürich' })).toEqual([]);
    expect(await ofTemplate(client, MATCH_TEMPLATE, 'match_id', '')).toEqual([String(OPEN.match)]);
    expect(await ofTemplate(client, TABLE_TEMPLATE, 'standings_id', '8')).toEqual([]);
    const access = { ...ALL.access, operations: new Set([]) };
    const bare = await connected(revision, { ...ALL, access });
    expect(await ofTemplate(bare, MATCH_TEMPLATE, 'match_id', '')).toEqual([]);
    expect(await ofTemplate(bare, TABLE_TEMPLATE, 'standings_id', '')).toEqual([]);
  });

  test('are refused for an unknown prompt or resource template', async () => {
    const client = await connected(revision);
    await expect(ofPrompt(client, 'nothing', 'team', '')).rejects.toThrow('Unknown prompt');
    for (const uri of ['touchline://players/{id}', 'constructor'])
      await expect(ofTemplate(client, uri, 'id', '')).rejects.toThrow('Unknown resource template');
  });
});

describe.each(ALL_REVISIONS)('a client of revision %s that listens to lists', (revision) => {
  /** Connects a listening client. Returns a list that fills with the lists it is notified of. */
  async function listening(served: ServedMcp): Promise<string[]> {
    const client = await served.connect(revision);
    const changed: string[] = [];
    for (const list of ['tools', 'prompts', 'resources'] as const)
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => void changed.push(list));
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
    });
    if (revision === '2026-07-28')
      await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    await expect.poll(() => served.streams()).toBe(1);
    return changed;
  }

  test('is notified of tools and prompts when its contract changes', async () => {
    const served = await ServedMcp.start();
    const changed = await listening(served);
    served.clients.set(ALL.token, { ...ALL.access, operations: WITHOUT_TABLES });
    await expect.poll(() => changed.toSorted()).toEqual(['prompts', 'resources', 'tools']);
  });

  test('is notified of resources when a match is no longer live, and not of other changes of a match', async () => {
    const served = await ServedMcp.start();
    const changed = await listening(served);
    const play = (n: number, fields: object) => {
      const changed = event(OPEN, OPEN.match, { ...fields });
      served.world.play(eventMessage({ id: `${n}`, ut: 1_790_000_000 + n }, changed));
    };
    play(100, { clock_time: 999 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(changed).toEqual([]);
    play(101, { status_id: 11, status_type: 'finished', clock_status: 'stopped' });
    await expect.poll(() => changed).toEqual(['resources']);
  });
});
