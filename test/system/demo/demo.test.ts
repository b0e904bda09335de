import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '#embedded/ports.ts';
import { parseJson } from '#json/values.ts';
import { follow, type OpenTopics, readLatest } from '#topics/follow.ts';
import { Registry } from '#topics/registry.ts';
import type { Disallowing } from '../../../services/simulator/faults.ts';
import type { PlaySummary } from '../../../services/simulator/player.ts';
import { backbone } from '../../setup/backbone.ts';
import { listeningAddresses } from '../../support/listening.ts';
import { deliverSigned } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SECRET, SERVED, SHORT, services, touchline } from './platform.ts';

// One prefix: the schemas of another one cost the registry more than a start of a service.
const { brokers, prefix, registryUrl: url } = backbone();

describe('touchline demo', () => {
  test('plays real matches, checks them, prints next steps, and exits with 0', async () => {
    const env = { ...SHORT, DATA_DIR: temporaryFolder(), TOPIC_PREFIX: prefix };
    const run = touchline(['demo'], env);
    expect([await run.end(), run.text()]).toEqual([
      0,
      expect.stringContaining('✓ all 5 final scores are the official ones'),
    ]);
    expect(run.text()).not.toContain('✗');
    expect(run.text()).toMatch(/messages +[\d,]+, in [\d,]+ deliveries/);
    expect(run.text()).toMatch(/goals disallowed +[1-9]\d*: /);
    expect(run.text()).toContain('npx touchline tail match-state --from-beginning --exit-at-end');
    const summary = parseJson(readFileSync(join(env.DATA_DIR, 'summary.json'), 'utf8')) as PlaySummary;
    const source = { brokers, prefix, registry: new Registry({ url, prefix }) };
    await expectOutcome(summary, source);
  });
});

describe('touchline up', () => {
  test('starts every service with the requested replicas, restarts processes that die, and stops on SIGTERM', async () => {
    const port = await freePort();
    const dataDir = temporaryFolder();
    const mark = join(dataDir, 'demo.lock');
    writeFileSync(mark, '');
    const run = touchline(['up', '--replicas', 'match-processor=2'], {
      DATA_DIR: dataDir,
      TOPIC_PREFIX: prefix,
      WEBHOOK_PORT: String(port),
      API_PORT: '0',
      TOOLS_PORT: '0',
      DISPATCHER_PORT: '0',
      WEBHOOK_SECRET: '',
    });
    await run.says('creating topics');
    expect(existsSync(mark), 'a demonstration would replace its data').toBe(false);
    const [, secret = ''] = await run.says(/Secret +(\S{32}) /);
    const [, tools = ''] = await run.says(/Tools +(\S+)/);
    const [, api = ''] = await run.says(/REST +(\S+)/);
    await run.says('Ctrl-C stops everything');
    const kept = join(dataDir, 'webhook-secret');
    expect([readFileSync(kept, 'utf8').trim(), statSync(kept).mode & 0o777]).toEqual([secret, 0o600]);
    expect(await post(port, [], secret)).toBe('200 Accepted');
    const before = services(run.child.pid);
    expect(before).toHaveLength(SERVED + 1);
    for (const label of ['match-processor', 'match-processor-2'])
      expect(readFileSync(join(dataDir, 'logs', `${label}.log`), 'utf8')).toContain('metrics and health');
    const addresses = before.map((pid) => new Set(listeningAddresses(pid)));
    expect(addresses).toEqual(before.map(() => new Set(['127.0.0.1'])));
    const views = readdirSync(dataDir).filter((name) => ['api', 'tool-gateway'].includes(name));
    expect(views, 'api and tool gateway have the same views').toEqual(['api']);
    const shown = () => Promise.all([statusOf(`${api}/sports`), statusOf(tools)]);
    expect(await shown()).toEqual([200, 401]);
    // Every process is supervised alike: starting all of them again would take as long as the rest of this test.
    const programs = /match-processor|webhook-receiver|api-and-tools/;
    const killed = before.filter((pid) => programs.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
    expect(killed).toHaveLength(4);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await run.says(/! match-processor was ended by SIGKILL; starting it again/);
    await run.says(/! webhook-receiver was ended by SIGKILL; starting it again/);
    await expect
      .poll(() => post(port, [], secret).catch(() => 'no answer'), { timeout: 120_000 })
      .toBe('200 Accepted');
    await expect.poll(shown, { timeout: 120_000 }).toEqual([200, 401]);
    run.child.kill('SIGTERM');
    expect(await run.end()).toBe(0);
    expect(run.text()).toContain('Stopping (SIGTERM)');
    expect(services(process.pid).filter((pid) => before.includes(pid))).toEqual([]);
  });
});

/** Expects the topics to hold what the simulator sent: each message, transition, disallowed goal and unreadable body once. */
async function expectOutcome(
  { messages, malformed, forged, invented }: PlaySummary,
  source: OpenTopics,
): Promise<void> {
  const sent = new Set<string>();
  const transitions: string[] = [];
  await follow(['normalized-messages', 'match-transitions'], source, {
    untilEnd: true,
    onRecord({ topic, value }) {
      if (value === null) return;
      if (topic === 'match-transitions') transitions.push(value.id);
      else if (value.origin === 'webhook')
        sent.add(JSON.stringify({ ...value, delivery_id: '', received_at: 0 }));
    },
  });
  const [letters, states] = await Promise.all([
    readLatest('dead-letters', source),
    readLatest('match-state', source),
  ]);
  const voids = [...states.values()].flatMap(({ void_goals }) => Object.values(void_goals));
  const voided = (reason: string): number => voids.filter((why) => why === reason).length;
  const of = (fault: Disallowing): number => invented[fault] ?? 0;
  expect({
    messages: sent.size,
    twice: transitions.length - new Set(transitions).size,
    letters: letters.size,
    accepted: forged.accepted,
    voids: {
      cancelled: voided('cancelled'),
      removed: voided('removed'),
      goal_cancelled: voided('goal_cancelled'),
    },
  }).toEqual({
    messages,
    twice: 0,
    letters: Object.values(malformed).reduce((sum, count) => sum + count, 0),
    accepted: 0,
    voids: {
      cancelled: of('rejected') + of('cancelled'),
      removed: of('deleted') + of('every_way'),
      goal_cancelled: of('goal_cancelled') + of('goal_cancelled_child') + of('goal_cancelled_twice'),
    },
  });
}

/** Returns the status of an answer without credentials; 0 when there is none. */
async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status ?? 0;
}

async function post(
  port: number,
  messages: readonly unknown[],
  secret = SECRET.slice(0, 32),
): Promise<string> {
  const response = await deliverSigned(`http://127.0.0.1:${port}/webhook`, messages, { secret });
  return `${response.status} ${await response.text()}`;
}
