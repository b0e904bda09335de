import { beforeAll, describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { untilTrue } from '../../support/poll.ts';
import { touchline, written } from '../../support/touchline.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const ALL = ['--from-beginning', '--exit-at-end', '--json'];
const state = (id: number, version = 1) => ({ ...sampleOf('match-state'), event_id: id, version });
const ids = (out: string): number[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event_id)
    .sort();

test('touchline tail --json prints one value a line by the schema, skips records without one, reports what it cannot decode, and fails', async () => {
  const topics = await TestTopics.create(['match-state'], 1);
  await topics.write('match-state', [
    { key: '1', value: state(1) },
    { key: '1', value: null },
    { key: 'x', value: Buffer.from('not Avro') },
    { key: '2', value: state(2) },
    { key: '1', value: state(1, 2) },
  ]);
  const run = await touchlineHere(['tail', 'match-state', ...ALL], topics.env);
  expect(run.code).toBe(1);
  expect(run.err).toBe('partition 0, offset 2: match-state: cannot decode: no schema id before the body\n');
  expect(run.out.endsWith('}\n')).toBe(true);
  expect(ids(run.out)).toEqual([1, 1, 2]);
  expect(JSON.parse(run.out.split('\n')[0] ?? '')).toEqual(JSON.parse(JSON.stringify(state(1))));
});

describe('the range of touchline tail', () => {
  let topics: TestTopics;

  beforeAll(async () => {
    topics = await TestTopics.create(['match-state', 'match-incidents'], 2);
    // Partition 0, but for event 1.
    await topics.write(
      'match-state',
      [2, 5, 6, 1].map((id) => ({ key: String(id), value: state(id) })),
    );
    const incident = sampleOf('match-incidents');
    await topics.write('match-incidents', [
      { key: '1/5-1', value: { ...incident, event_id: 1 }, partition: 1 },
      { key: '12/5-1', value: { ...incident, event_id: 12 }, partition: 1 },
    ]);
  });

  test.each([
    [['--from-beginning', '--partition', '1'], [1]],
    [
      ['--offset', '1', '--partition', '0'],
      [5, 6],
    ],
    [['--offset=-1'], [1, 6]],
    [
      ['--since', '1h'],
      [1, 2, 5, 6],
    ],
    [
      ['--from-beginning', '--partition', '0', '--limit', '2'],
      [2, 5],
    ],
  ])('is that of %j', async (args, wanted) => {
    const run = await touchlineHere(['tail', 'match-state', '--json', '--exit-at-end', ...args], topics.env);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(ids(run.out)).toEqual(wanted);
  });

  test('ends after --limit records, without --exit-at-end', async () => {
    const args = ['--from-beginning', '--partition', '0', '--limit', '2', '--json'];
    const { code, out } = await touchlineHere(['tail', 'match-state', ...args], topics.env);
    expect([code, ids(out)]).toEqual([0, [2, 5]]);
  });

  test('covers several topics, with the topic in each line, a key and keys below it', async () => {
    const args = ['match-state', 'match-incidents', '--from-beginning', '--exit-at-end', '--key', '1'];
    const { out } = await touchlineHere(['tail', ...args], topics.env);
    expect(out.split('\n').sort()).toEqual([
      '',
      expect.stringMatching(/^match-incidents {2}\S+Z {2}1\/5-1 {2}v12/),
      expect.stringMatching(/^match-state {2}\S+Z {2}1 {2}v1 /),
    ]);
  });

  test('cannot start at a partition or an offset that does not exist', async () => {
    const run = (...args: string[]) => touchlineHere(['tail', 'match-state', ...args], topics.env);
    expect((await run('--partition', '7')).err).toContain('has partitions 0 to 1, not 7');
    expect((await run('--partition', '1', '--offset', '9')).err).toContain('ends at 1, before offset 9');
  });
});

describe('touchline tail', () => {
  test('follows a topic until it is stopped, without a consumer group', async () => {
    const topics = await TestTopics.create(['match-state']);
    await topics.write('match-state', [{ key: '1', value: state(1) }]);
    const run = touchline(['tail', 'match-state', '--from-beginning'], topics.env);
    await written(run, 'France');
    await topics.write('match-state', [{ key: '7', value: null }]);
    await written(run, '7  (no value: the key is deleted)');
    expect(await topics.readerGroups()).toEqual([]);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
  });

  test('shows only new records by default', async () => {
    const topics = await TestTopics.create(['match-state'], 1);
    await topics.write('match-state', [{ key: 'old', value: state(1) }]);
    const run = touchline(['tail', 'match-state'], topics.env);
    await untilTrue('it shows a new record', async () => {
      await topics.write('match-state', [{ key: 'new', value: state(2) }]);
      return run.out.includes('new');
    });
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.out).not.toContain('old');
  });

  test('ends without an error when its reader closes the output', async () => {
    const topics = await TestTopics.create(['match-state'], 1);
    await topics.write(
      'match-state',
      Array.from({ length: 50 }, (_, id) => ({ key: String(id), value: state(id) })),
    );
    const run = touchline(['tail', 'match-state', '--from-beginning', '--json'], topics.env);
    await written(run, '"event_id":0');
    run.child.stdout?.destroy();
    await topics.write('match-state', [{ key: '99', value: state(99) }]);
    expect(await run.ended).toBe(0);
    expect(run.err).toBe('');
  });
});
