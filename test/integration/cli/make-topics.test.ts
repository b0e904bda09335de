import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { deleteTopics, findTopics, topicPartitions } from '#topics/admin.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  return touchlineHere(['topics', ...args], env);
}

describe('touchline topics', () => {
  test('creates every topic, and reports existing topics the second time', async () => {
    const { brokers, registryUrl, prefix } = backbone();
    const env = connectionEnv({ brokers, registryUrl, prefix });
    const saidOf = (word: string) =>
      TOPIC_NAMES.map((topic) => `${word}  ${topicName(prefix, topic)}\n`).join('');

    expect(await run(['--partitions', '2'], env)).toEqual({ code: 0, out: saidOf('made '), err: '' });
    expect(await findTopics({ brokers, prefix })).toEqual(new Set(TOPIC_NAMES));
    // One by one: the registry lists a thousand subjects at most.
    for (const topic of TOPIC_NAMES) {
      const response = await fetch(`${registryUrl}/subjects/${topicName(prefix, topic)}-value/versions`);
      expect([topic, response.status]).toEqual([topic, 200]);
    }

    expect(await run(['--partitions', '2'], env)).toEqual({ code: 0, out: saidOf('there'), err: '' });
    // As doctor prints it for a lost topic, on topics with another number of partitions than the usual one.
    await deleteTopics(brokers, [topicName(prefix, 'match-state')]);
    expect((await run([], env)).out).toContain(`made   ${topicName(prefix, 'match-state')}\n`);
    expect(await topicPartitions(brokers, topicName(prefix, 'match-state'))).toBe(2);
    // The topics are empty, except that of the records of these commands.
    const other = await run(['--partitions', '3'], env);
    expect(other).toMatchObject({ code: 0, err: '' });
    expect(other.out).toContain(`mended  ${topicName(prefix, 'match-state')} has 2 partitions, not 3\n`);
  });

  test.each([
    [['--partitions', '0'], '--partitions must be a whole number from 1 to 9999'],
    [['--replication-factor', 'x'], '--replication-factor must be a whole number from 1 to 9999'],
    [['now'], 'unexpected argument "now"'],
  ])('refuses %j', async (args, text) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(text);
    expect(err).toContain('See touchline topics --help.');
  });
});

test('docker compose runs only commands that touchline has', async () => {
  const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  const commands = [...compose.matchAll(/^ {4}command: \[(.*)\]$/gm)].map(([, command]) => command ?? '');
  expect(commands.length).toBeGreaterThan(0);
  const { out } = await touchlineHere(['--help']);
  const known = [...out.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
  expect(commands.filter((command) => !known.includes(command))).toEqual([]);
});
