import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { ALL, REVISIONS, type Revision, ServedMcp } from './testing/served.ts';

const revisions = Object.keys(REVISIONS) as Revision[];
/** A contract without tables. */
const WITHOUT_TABLES: Access['operations'] = new Set([
  'events.index',
  'events.show',
  'events.incidents',
  'competitions.index',
  'livescore.index',
]);

async function textOf(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
}

describe.each(revisions)('prompts (revision %s)', (revision) => {
  test('are listed with their arguments, and filled in', async () => {
    const client = await (await ServedMcp.start()).connect(revision);
    const { prompts } = await client.listPrompts();
    expect(
      prompts.map(({ name, arguments: args = [] }) => [
        name,
        ...args.map((one) => `${one.name}${one.required ? '' : '?'}`),
      ]),
    ).toEqual([
      ['may-i-act', 'team'],
      ['catch-up', 'minutes?', 'competition?'],
      ['table', 'competition', 'season?', 'group?'],
    ]);
    expect(await textOf(client, 'may-i-act', { team: ' France ' })).toContain('the match of France now?');
    expect(await textOf(client, 'catch-up', { competition: '' })).toMatch(/in the last 10 minutes\?/);
    expect(await textOf(client, 'table', { competition: 'World Cup', group: 'C' })).toContain(
      'group C of World Cup?',
    );
  });

  test('name tools that there are', async () => {
    const client = await (await ServedMcp.start()).connect(revision);
    const { tools } = await client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    const texts = [
      await textOf(client, 'may-i-act', { team: 'France' }),
      await textOf(client, 'catch-up', { competition: 'World Cup' }),
      await textOf(client, 'table', { competition: 'World Cup', season: '2018' }),
    ];
    const named = texts.flatMap((text) => text.match(/\b(?:get|list|live)_[a-z]+\b/g) ?? []);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  test('are refused where they are unknown, and without what they need', async () => {
    const client = await (await ServedMcp.start()).connect(revision);
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('Unknown prompt: nothing');
    await expect(client.getPrompt({ name: 'may-i-act', arguments: { team: ' ' } })).rejects.toThrow(
      'needs the argument team',
    );
    await expect(
      client.getPrompt({ name: 'may-i-act', arguments: { team: 'x'.repeat(101) } }),
    ).rejects.toThrow('longer than 100');
  });

  test('are those whose tools the contract has', async () => {
    const access = { ...ALL.access, operations: WITHOUT_TABLES };
    const served = await ServedMcp.start({ clients: [{ ...ALL, access }] });
    const client = await served.connect(revision);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['may-i-act', 'catch-up']);
    await expect(client.getPrompt({ name: 'table', arguments: { competition: 'x' } })).rejects.toThrow(
      'Unknown prompt',
    );
  });
});
