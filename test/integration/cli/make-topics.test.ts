import { describe, expect, onTestFinished, test } from 'vitest';
import { withPublisher } from '#streams/publish/publisher.ts';
import { deleteTopics, findTopics, topicPartitions } from '#topics/admin.ts';
import { watchTopics } from '#topics/required-topics.ts';
import { topicIdsName } from '#topics/topic-ids.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { doctor } from '../../support/doctor.ts';
import { connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeOnly, requireSettingsAt } from '../../support/topics.ts';
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
    // As doctor prints it for a lost changelog, on topics with another number of partitions than the usual one.
    await deleteTopics(brokers, [topicName(prefix, 'match-state')]);
    expect((await run([], env)).out).toContain(`made   ${topicName(prefix, 'match-state')}\n`);
    expect(await topicPartitions(brokers, topicName(prefix, 'match-state'))).toBe(2);
    // The topics are empty, except that of the records of these commands.
    const other = await run(['--partitions', '3'], env);
    expect(other).toMatchObject({ code: 0, err: '' });
    expect(other.out).toContain(`mended  ${topicName(prefix, 'match-state')} has 2 partitions, not 3\n`);
  });

  /** Topics that no processor derives, and a service that reads each. */
  const SOURCES = {
    'raw-messages': null,
    'normalized-messages': 'feed-monitor',
    catalogue: 'api',
    clients: 'webhook-dispatcher',
    'access-tokens': 'tool-gateway',
  } as const;

  test('creates nothing in the place of lost topics before it is asked to, and services and doctor say so', async () => {
    const { brokers, registryUrl, prefix } = backbone();
    const env = connectionEnv({ brokers, registryUrl, prefix });
    const topics = Object.keys(SOURCES) as (keyof typeof SOURCES)[];
    const names = topics.map((topic) => topicName(prefix, topic));
    const services = Object.values(SOURCES).filter((service) => service !== null);
    expect(await run(['--partitions', '2'], env)).toMatchObject({ code: 0 });
    const lines: string[] = [];
    const logger = { error: (_: unknown, text?: string) => void lines.push(String(text)) };
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    await watchTopics(['api'], { brokers, prefix }, { logger, signal: stopping.signal, everyMs: 500 });
    for (const said of ['deleted', 'deleted and created again, without its records']) {
      await deleteTopics(brokers, names);
      if (said !== 'deleted') await makeOnly(new Set(names), { brokers, prefix, partitions: 2 });
      const lost = `${said}: ${names.join(', ')}`;
      const advice = `npx touchline topics --accept ${topics.join(',')}`;
      const refused = await run([], env);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`${lost}; restore`) });
      expect(refused.err.trim().split('\n')).toHaveLength(1);
      for (const service of services)
        await expect(requireSettingsAt(brokers, prefix, service), service).rejects.toMatchObject({
          code: 'TOPIC_LOST',
        });
      await untilTrue('the api says so while it runs', () =>
        lines.some((line) => line.includes(`${said}: `)),
      );
      const { findings } = await doctor(env);
      expect(findings.filter(({ check }) => check === 'topics')).toMatchObject([
        { status: 'failed', message: lost, advice: expect.stringContaining(advice) },
      ]);
      expect(await run(['--accept', topics.join(',')], env)).toMatchObject({ code: 0, err: '' });
      for (const service of services) await requireSettingsAt(brokers, prefix, service);
    }
    // Without the ids a lost topic cannot be told from a new one.
    const messages = topicName(prefix, 'normalized-messages');
    await withPublisher({ brokers, clientId: 'test', log: quietLog }, (publisher) =>
      publisher.publish([{ topic: messages, partition: 0, key: '1', value: Buffer.from('1') }]),
    );
    await deleteTopics(brokers, [topicIdsName(prefix)]);
    expect(await run([], env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(`${messages} have records: it was lost.*npx touchline topics --accept all`),
    });
    expect((await touchlineHere(['doctor'], env)).out).toMatch(
      /topic-ids has lost records and does not name all.*\n.*npx touchline topics --accept all\n/,
    );
    expect(await run(['--accept', 'all'], env)).toMatchObject({ code: 0 });
    expect(await run([], env)).toMatchObject({ code: 0 });
  });

  test('refuses to accept a topic that a processor derives', async () => {
    const { code, err } = await run(['--accept', 'match-state']);
    expect(code).toBe(2);
    expect(err).toContain('--accept must be all, or one or several of raw-messages,');
  });
});
