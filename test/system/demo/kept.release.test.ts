import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPublisher } from '#streams/publish/publisher.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { readExample } from '../../../services/api/docs/examples.ts';
import { differences } from '../../../services/api/docs/testing/fields.ts';
import { backbone } from '../../setup/backbone.ts';
import { quietLog } from '../../support/log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTopics } from '../../support/topics.ts';
import { collectExamples, demonstrationIn } from '../reference/collect.ts';
import { runs, SERVED, SHORT, services, touchline } from './platform.ts';

const USUAL_API_PORT = 8081;

type Listed = { readonly api: { readonly method: { readonly total_items: number } } };
type Granted = { readonly api: { readonly data: { readonly token: string } } };

describe('touchline demo --keep', () => {
  test('plays under another prefix when messages exist, keeps everything running with --keep, and stops it on Ctrl-C', async () => {
    const dataDir = temporaryFolder();
    const env = { ...SHORT, MATCHES: '2', DURATION: '2', AFTERWARDS: 'nothing', DATA_DIR: dataDir };
    const prefix = await usedPrefix();
    const run = touchline(['demo', '--keep'], { ...env, TOPIC_PREFIX: prefix });
    await run.says('Everything goes on until Ctrl-C');
    await run.says(/secret_key=\w+"/);
    expect(run.text()).toContain('✓ all 2 final scores');
    await run.says(
      new RegExp(`the topics are ${prefix}demo-\\d{14}\\.\\*: those of ${prefix}\\* have records`),
    );
    await hasFieldsOfExamples(run.text());
    const children = services(run.child.pid);
    expect(children.length).toBeGreaterThanOrEqual(SERVED);
    const tail = touchline(['tail', 'match-state', '--from-beginning', '--exit-at-end', '--json'], {
      DATA_DIR: dataDir,
      KAFKA_BROKERS: '',
      SCHEMA_REGISTRY_URL: '',
      TOPIC_PREFIX: '',
    });
    expect(await tail.end()).toBe(0);
    const states = tail
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(states.findLast(({ event_id }) => event_id === 310_001)?.score).toEqual({ home: 5, away: 0 });
    run.child.kill('SIGINT');
    expect(await run.end()).toBe(0);
    expect(children.some(runs)).toBe(false);
    expect(existsSync(join(dataDir, 'backbone.json'))).toBe(false);
  });

  test('continues with a league with --keep, names a changed port, and ends all processes when it is killed', async () => {
    const taken = createServer().listen(USUAL_API_PORT, '127.0.0.1');
    // On an error the port is in use too.
    taken.on('error', () => {});
    onTestFinished(() => void taken.close());
    const { API_PORT: _, ...onePortUsual } = SHORT;
    const env = { ...onePortUsual, MATCHES: '1', DURATION: '1', DATA_DIR: temporaryFolder(), SPEED: '100' };
    const run = touchline(['demo', '--keep'], env);
    await run.says(`port ${USUAL_API_PORT} is in use: API_PORT is another one`);
    await run.says('Premier League 2017/18 is played now, 100 times as fast as life: 380 matches');
    const { url, clientId, secretKey } = demonstrationIn(run.text()) ?? expect.fail(run.text());
    const credentials = new URLSearchParams({ client_id: clientId, secret_key: secretKey });
    const granted = (await (await fetch(`${url}/v2/oauth?${credentials}`)).json()) as Granted;
    const live = async (): Promise<number> => {
      const answer = await fetch(`${url}/v2/livescore?status_type=live&token=${granted.api.data.token}`);
      return ((await answer.json()) as Listed).api.method.total_items;
    };
    // A round of ten matches that kick off at intervals of a minute of its clock.
    await expect.poll(live, { timeout: 60_000 }).toBe(10);
    const children = services(run.child.pid);
    expect(children.filter(runs).length).toBeGreaterThanOrEqual(SERVED);
    run.child.kill('SIGKILL');
    await expect.poll(() => children.filter(runs), { timeout: 120_000 }).toEqual([]);
  });
});

/** Returns a prefix with an earlier delivery. */
async function usedPrefix(): Promise<string> {
  const { brokers, prefix } = backbone();
  const topic = topicName(prefix, 'raw-messages');
  await makeTopics(brokers, [{ name: topic, partitions: TOPICS['raw-messages'].partitions }]);
  const publisher = await openPublisher({ brokers, clientId: 'test', log: quietLog });
  await publisher.publish([{ topic, key: 'before', value: Buffer.from('a delivery') }]);
  await publisher.close();
  return prefix;
}

/**
 * Expects every operation to answer with the fields and types of its example in the reference; else run `npm run
 * examples`.
 */
async function hasFieldsOfExamples(printed: string): Promise<void> {
  const demonstration = demonstrationIn(printed) ?? expect.fail(printed);
  // The last polls may still be pending.
  const found = async (): Promise<string[]> =>
    [...(await collectExamples(demonstration))].flatMap(([name, { fields }]) =>
      differences(readExample(name).fields, fields).map((difference) => `${name} ${difference}`),
    );
  await expect.poll(found, { timeout: 60_000, interval: 1_000 }).toEqual([]);
}
