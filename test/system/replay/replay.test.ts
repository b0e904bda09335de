import { beforeAll, describe, expect, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { topicName } from '#topics/topics.ts';
import { clients, startApi } from '../../support/api.ts';
import { connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import type { TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTopics } from '../../support/topics.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';
import { playLive } from './live.ts';

let live: TablesPipeline;
let output: PipelineOutput;
let prefix: string;
let whole: number;
let credentials: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  live = await playLive();
  output = await live.pipeline.output();
  const { connection } = live.pipeline;
  prefix = connection.prefix;
  env = connectionEnv(connection);
  credentials = await clients(connection, 'add --name switched');
});

const run = (...args: string[]): Promise<CommandOutput> => touchlineHere(args, env);

async function replay(into: string, ...range: string[]): Promise<{ records: number; progress: string }> {
  const { code, out, err } = await run('replay', '--into', `${prefix}${into}`, ...range);
  expect(code, err).toBe(0);
  const [, records] = /^(\d+) records of normalized-messages replayed/.exec(out) ?? [];
  return { records: Number(records), progress: err };
}

describe('a replay', () => {
  test('gives the same bytes twice, and the states, transitions and tables of the live run', async () => {
    for (const into of ['a.', 'b.']) {
      const { records, progress } = await replay(into, '--for-switch');
      expect(progress).toContain('replay: ');
      whole = records;
    }
    expect(await run('compare', `${prefix}a.`, `${prefix}b.`, '--level', 'bytes')).toMatchObject({ code: 0 });
    const compared = await run('compare', prefix, `${prefix}a.`);
    expect(compared.out).toMatch(/the same \(level log\)\n$/);
    expect(compared.code).toBe(0);
    expect(output.states.size).toBeGreaterThan(0);
  });

  test('of raw-messages gives the states and tables of the live run, and ends with exit code 1 where nobody can read a record', async () => {
    const topic = topicName(prefix, 'raw-messages');
    const values = [Buffer.from('8d1f6c2b9e0a', 'hex'), Buffer.alloc(0)];
    await withPublisher({ ...live.pipeline.connection, clientId: 'test', log: quietLog }, (publisher) =>
      publisher.publish(values.map((value) => ({ topic, key: 'nobody', value }))),
    );
    const { code, err } = await run('replay', '--source', 'raw', '--into', `${prefix}raw.`);
    expect(code).toBe(1);
    expect(err.match(new RegExp(`left out the record at ${topic}-\\d+, offset \\d+`, 'g'))).toHaveLength(2);
    expect(err).toContain(`${prefix}raw. lacks 2 records of raw-messages that nobody can read`);
    expect(await run('compare', prefix, `${prefix}raw.`, '--level', 'state')).toMatchObject({ code: 0 });
  });

  test('of the log before a time and of the rest has every record once', async () => {
    const times = output.transitions.map(({ cause }) => cause.received_at).sort((a, b) => a - b);
    const moment = new Date(times[times.length >> 1] ?? 0).toISOString();
    // Into a prefix with schemas: to register all of them again costs the registry more than the replay costs.
    const before = await replay('a.', '--to', moment, '--replace', '--yes');
    const after = await replay('a.', '--from', moment, '--replace', '--yes');
    expect(before.records).toBeGreaterThan(0);
    expect(after.records).toBeGreaterThan(0);
    expect(before.records + after.records).toBe(whole);
  });

  test('refuses a prefix that holds records, and replaces it with --replace', async () => {
    const refused = await run('replay', '--into', `${prefix}raw.`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('hold records already') });
    // Minimal gaps: the batches differ, the compared values are the same.
    const replace = ['replay', '--into', `${prefix}raw.`, '--replace', '--gaps', '0.001'];
    const asked = await run(...replace);
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toMatch(/up to \d+ records would be deleted \(.*: confirm with --yes/);
    expect(await run('compare', prefix, `${prefix}raw.`, '--level', 'state')).toMatchObject({ code: 0 });
    const replaced = await run(...replace, '--yes');
    expect(replaced).toMatchObject({ code: 0 });
    expect(await run('compare', prefix, `${prefix}raw.`)).toMatchObject({ code: 0 });
  });

  test('refuses the prefix of another application, and one whose readers run', async () => {
    const { connection } = live.pipeline;
    const shop = ['clients', 'baskets'].map((name) => ({ name: `${prefix}shop.${name}`, partitions: 1 }));
    await makeTopics(connection.brokers, shop);
    const into = (name: string) => run('replay', '--into', `${prefix}${name}`, '--replace', '--yes');
    const foreign = await into('shop.');
    expect(foreign).toMatchObject({ code: 1, out: '' });
    expect(foreign.err).toContain(`of another application, with ${prefix}shop.baskets`);
    const member = openStreamClient({ ...connection, clientId: 'reader', log: quietLog }).openGroupMember({
      group: `${prefix}raw.desk`,
      topic: `${prefix}raw.match-state`,
      sessionTimeoutMs: 6_000,
      heartbeatMs: 1_000,
      listener: { onAssigned() {}, onLost() {}, onFenced() {}, onHeartbeat() {} },
    });
    await member.start();
    const running = await into('raw.');
    expect(running).toMatchObject({ code: 1, out: '' });
    expect(running.err).toContain(`${prefix}raw.desk run with the prefix`);
    await member.stop();
  });

  test('for a switch serves the same clients', async () => {
    const api = await startApi({ ...live.pipeline.connection, prefix: `${prefix}b.` }, temporaryFolder());
    const [state] = output.states.values();
    const { data } = await api.api(`/v2/events/${state?.event_id}?token=${await api.token(credentials)}`);
    expect(JSON.stringify(data)).toContain(`"id":${state?.event_id}`);
    await api.service.stop();
  });

  test('cannot be compared with a missing prefix', async () => {
    expect(await run('compare', prefix, `${prefix}nothing.`)).toMatchObject({ code: 2 });
  });
});

describe('an export', () => {
  test('writes a range of time to standard output as JSON lines', async () => {
    const moments = [...output.states.values()].map(({ cause }) => cause.received_at).sort();
    const [first = 0, middle = moments[moments.length >> 1] ?? 0] = [moments[0]];
    const { out } = await run('export', 'states', '--from', String(first), '--to', String(middle));
    const lines = out
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBe(moments.filter((moment) => moment < middle).length);
    for (const { cause_received_at } of lines) expect(Date.parse(cause_received_at)).toBeLessThan(middle);
  });

  test('refuses a file of another kind', async () => {
    expect(await run('export', 'states', '--out', 'states.csv')).toMatchObject({ code: 2 });
  });
});
