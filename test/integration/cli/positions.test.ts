/** `touchline position` and `touchline rebuild` against a real processor. */
import { beforeAll, describe, expect, test } from 'vitest';
import { readPositions, topicBounds } from '#cluster/logs.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { Registry } from '#topics/registry.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { connectionEnv } from '../../support/environment.ts';
import { Pipeline, type PipelineConnection, type PipelineOutput } from '../../support/pipeline.ts';
import type { TestService } from '../../support/processes.ts';
import { readRecords } from '../../support/read-records.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';
import { workload } from '../../support/workload.ts';
import { TestTopics } from './topics.ts';

const LOAD = workload({ events: 6, perEvent: 10, seed: 3 });
let connection: PipelineConnection;
let pipeline: Pipeline;
// Each test begins where the one before it ended.
beforeAll(async () => {
  connection = backbone();
  pipeline = await Pipeline.create(connection);
});

async function run(...args: string[]): Promise<CommandOutput> {
  return touchlineHere(args, connectionEnv(connection));
}

const positions = () =>
  readPositions({
    brokers: connection.brokers,
    application: `${connection.prefix}match-processor`,
  });

/** Returns states, incidents and transitions without their positions on the topics. */
const comparable = ({ states, incidents, transitions }: PipelineOutput) => ({
  states: [...states.values()].sort((a, b) => a.event_id - b.event_id),
  incidents: [...incidents.entries()].sort(([a], [b]) => (a < b ? -1 : 1)),
  transitions: transitions.map(({ id }) => id).sort(),
});

describe('touchline position', () => {
  test('refuses an offset that does not exist', async () => {
    const refused = await run('position', 'match-processor', '1', '4');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('has offsets 0 to 0, not 4');
  });

  test('skips no record without --yes', async () => {
    await pipeline.feed(LOAD);
    // Nothing was processed yet.
    const log = await topicBounds({ ...connection, clientId: 'test' }, [
      `${connection.prefix}normalized-messages`,
    ]);
    const { partition, end } = log.find((one) => one.end > 1) ?? expect.fail('no messages');
    const skip = ['position', 'match-processor', String(partition), 'end'];
    const refused = await run(...skip);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${end} records would never be processed: confirm with --yes`);
    expect(await positions()).toEqual(new Map());

    expect(await run('position', 'match-processor', String(partition), '1', '--yes')).toMatchObject({
      code: 0,
    });
    expect((await run(...skip)).err).toContain(`${end - 1} records would never be processed`);
    expect(await run('position', 'match-processor', String(partition), 'start')).toMatchObject({ code: 0 });
    expect(await positions()).toEqual(new Map([[partition, 0]]));
  });
});

describe('beside a running processor', () => {
  let processor: TestService;

  beforeAll(() => {
    processor = pipeline.startProcessor();
  });

  test('touchline position shows positions, and sets one', async () => {
    await pipeline.settled();
    const before = await positions();
    const [partition, next] = [...before].find(([, at]) => at > 1) ?? [0, 0];
    const shown = await run('position', 'match-processor');
    expect(shown.code).toBe(0);
    const row = shown.out.split('\n').find((line) => line.trim().startsWith(`${partition} `));
    expect(row?.trim().split(/\s+/)).toEqual([String(partition), String(next), '0', String(next), '0']);

    const output = comparable(await pipeline.output());
    const set = await run('position', 'match-processor', String(partition), 'start');
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toContain(`resumes at 0, it was at ${next}`);
    // The owner notices with its next record. Processing again changes no state.
    await pipeline.feed(LOAD);
    await pipeline.settled();
    expect(await processor.metric('touchline_task_failures_total')).toBe(1);
    expect(comparable(await pipeline.output())).toEqual(output);
  });

  test('a rebuild deletes nothing, and later not without --yes', async () => {
    const before = await pipeline.output();
    const running = await run('rebuild', 'match-processor', '--yes');
    expect(running).toMatchObject({ code: 1, out: '' });
    expect(running.err).toContain('stop them first');
    await processor.stop();
    const refused = await run('rebuild', 'match-processor');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /up to \d+ records would be deleted \(.*\d+ of \S+match-state.*: confirm with --yes/,
    );
    expect(await pipeline.output()).toEqual(before);
    expect(await run('rebuild', 'api', '--yes')).toMatchObject({ code: 2, out: '' });
  });
});

describe('touchline rebuild', () => {
  test('processes all input again, with the same results', async () => {
    const before = await pipeline.output();
    expect(await run('rebuild', 'match-processor', '--yes')).toMatchObject({ code: 0, err: '' });
    expect((await pipeline.output()).transitions).toEqual([]);
    const processor = pipeline.startProcessor();
    await pipeline.settled();
    expect(comparable(await pipeline.output())).toEqual(comparable(before));
    await processor.stop();
  });
});

describe('a rebuild of what its input no longer has', () => {
  test('is refused with the number of matches, and copies them by the command that it prints', async () => {
    const { brokers, prefix } = connection;
    const before = await pipeline.output();
    const input = `${prefix}normalized-messages`;
    const log = await topicBounds({ ...connection, clientId: 'test' }, [input]);
    const [gone, cut] = log.filter(({ start, end }) => end - start > 1);
    if (gone === undefined || cut === undefined) expect.fail('messages in one partition only');
    const partitions = [
      { partition: gone.partition, offset: BigInt(gone.end) },
      { partition: cut.partition, offset: BigInt(cut.start + 1) },
    ];
    await withAdmin(brokers, (admin) => admin.deleteRecords({ topics: [{ name: input, partitions }] }));
    const without = [...before.states.keys()].filter(
      (id) => partitionOfKey(id, log.length) === gone.partition,
    );
    const [first] = before.transitions.filter(({ cause }) => cause.partition === cut.partition);
    const lost = [...without, first?.event_id];

    const refused = await run('rebuild', 'match-processor', '--yes');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${prefix}* of ${brokers.join(', ')}: up to `);
    expect(refused.err).toContain(
      `: up to ${lost.length} matches without all of their messages cannot be ` +
        'derived again, and rebuild refuses to delete what its input no longer has (REBUILD_LOSES)',
    );
    const { out: help } = await run('rebuild', '--help');
    expect(help.replace(/\s+/g, ' ')).toContain('refuses to delete what its input no longer has');
    expect(await pipeline.output()).toEqual(before);

    const [copying = '', going = ''] = commandsIn(refused.err);
    const saved = `${prefix}saved.`;
    const copied = await run(...copying.replace('saved.', saved).split(' '));
    expect(copied, copied.err).toMatchObject({ code: 0, err: '' });
    for (const topic of ['match-state', 'match-incidents', 'match-transitions', 'match-results'])
      expect(await bytesOf(`${saved}${topic}`)).toEqual(await bytesOf(`${prefix}${topic}`));

    expect(going).toBe(`rebuild match-processor --yes --lose ${lost.length}`);
    const tooFew = [...going.split(' ').slice(0, -1), String(lost.length - 1)];
    expect((await run(...tooFew)).err).toContain('(REBUILD_LOSES)');
    expect(await pipeline.output()).toEqual(before);
    expect(await run(...going.split(' '))).toMatchObject({ code: 0, err: '' });
    const processor = pipeline.startProcessor();
    // A partition without records gets no position.
    await pipeline.settled(log.map(({ partition }) => partition).filter((one) => one !== gone.partition));
    await processor.stop();
    const after = await pipeline.output();
    expect([...before.states.keys()].filter((id) => !after.states.has(id)).sort()).toEqual(without.sort());
    // What was derived anew of the rest is whole.
    expect((await run('rebuild', 'match-processor')).err).not.toContain('REBUILD_LOSES');
    const env = { ...connectionEnv(connection), TOPIC_PREFIX: saved };
    for (const id of lost)
      expect((await touchlineHere(['match', String(id)], env)).out).toContain(
        `version ${before.states.get(id ?? 0)?.version}`,
      );
  });

  test('is refused for results behind tables', async () => {
    const topics = await TestTopics.create(['match-results', 'standings-results']);
    const { registryUrl: url } = connection;
    const codec = await new Registry({ url, prefix: topics.prefix }).codec('match-results');
    const result = (version: number) => ({ ...sampleOf('match-results'), version });
    const behind = (version: number) => ({ result: codec.encode(result(version)) });
    await topics.write('match-results', [
      { key: 'same', value: result(2) },
      { key: 'older', value: result(1) },
    ]);
    await topics.write(
      'standings-results',
      ['same', 'older', 'missing'].map((key) => ({ key, value: behind(2) })),
    );
    const refusalOf = async (processor: string) =>
      (await touchlineHere(['rebuild', processor, '--yes'], topics.env)).err;
    const results = await refusalOf('standings-processor');
    expect(results).toContain('2 match results behind the tables');
    expect(commandsIn(results)).toContain('rebuild standings-processor --yes --lose 2');
  });
});

/** Returns the records of a topic, partition by partition, as they are. */
async function bytesOf(topic: string): Promise<string[]> {
  const records = await readRecords(connection.brokers, topic);
  const order = records.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
  return order.map(({ partition, key, value }) =>
    [partition, key?.toString('hex'), value?.toString('hex')].join(),
  );
}
