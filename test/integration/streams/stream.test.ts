/** The task runtime on a real broker, with the smallest possible processor: test/simulation has its faults. */
import { expect, test } from 'vitest';
import { PoisonError } from '#errors/touchline-error.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { quietLog } from '../../support/log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { POISON } from './count-by-key.ts';
import { CountingApplication, type CountingTopics, keepingLog } from './counting.ts';

const connection = backbone();
/** A record beyond the limit of the dead letters' topic. */
const LARGE = 'x'.repeat(20_000);
const LETTER_BYTES = 10_000;
/** More bytes than any topic here accepts in one record, and than one of our batches holds. */
const TOO_LARGE = 2 * 1024 * 1024;

/** Throws for each value that this test wants to fail: `broken` always, `shaky` once. */
function failing(): (value: string) => void {
  let shaken = false;
  return (value) => {
    if (value === LARGE) throw new PoisonError('UNDECODABLE', 'as this test wants it');
    if (value === 'broken' || (value === 'shaky' && !shaken)) {
      shaken ||= value === 'shaky';
      throw new Error('as this test wants it');
    }
  };
}

test('sends a record that cannot be read, processed or written to the dead letters, and counts the records around it once', async () => {
  const counting = await CountingApplication.create(connection, { maxLetter: LETTER_BYTES });
  const { metric, stream } = await counting.start({
    process: failing(),
    encode: (key, count) => (key === 'bad' ? String(count).padEnd(TOO_LARGE) : String(count)),
  });
  const values = ['1', POISON, '2', 'broken', 'shaky', LARGE, '3'].map((value) => ['a', value] as const);
  // A batch of each partition.
  await counting.send(...values, ['bad', 'beyond'], ['a', '4'], ['bb', '1']);
  await untilTrue('all records', async () => (await metric('touchline_records_total')) === 10);
  expect(await counting.read(counting.letters)).toEqual({
    '1/1': 'undecodable poison',
    '1/3': 'processing_failed broken',
    // Without the bytes, which the topic does not accept.
    '1/5': 'undecodable null',
    '1/7': 'commit_failed beyond',
  });
  const history = await counting.history(counting.counts);
  expect(Object.fromEntries(history)).toEqual({ a: '5', bb: '1' });
  const counts = history.filter(([key]) => key === 'a').map(([, count]) => Number(count));
  expect(counts).toEqual([...new Set(counts)].sort());
  expect(await metric('touchline_dead_letters_total')).toBe(4);
  await untilTrue('it is ready', () => stream.ready());
});

test('commits a full processor within a batch', async () => {
  const counting = await CountingApplication.create(connection);
  const { metric } = await counting.start({ maxKeys: 2 });
  await counting.send(['a', '1'], ['b', '1'], ['c', '1'], ['d', '1'], ['e', '1'], ['a', '2']);
  await untilTrue('six records', async () => (await metric('touchline_records_total')) === 6);
  expect(await counting.read(counting.counts)).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
  expect(await metric('touchline_transactions_total')).toBe(3);
});

test.each<[string, CountingTopics, (counting: CountingApplication) => string]>([
  ['a missing positions topic', { positions: null }, ({ positions }) => `${positions} is missing`],
  [
    'a missing output, and an input that grew',
    { input: 3, letters: null },
    ({ counts, letters }) => `${counts} has 2 partitions, not 3; ${letters} is missing`,
  ],
])('refuses to start with %s', async (_what, topics, problem) => {
  const counting = await CountingApplication.create(connection, topics);
  const refusal = await counting.start().catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'PARTITIONS_DIFFER',
    message: expect.stringContaining(problem(counting)),
  });
  expect(String(refusal)).toContain('npx touchline topics');
});

test('refuses partitions added to the input while it runs, and continues the others', async () => {
  const counting = await CountingApplication.create(connection);
  const { log, lines } = keepingLog();
  const { metric } = await counting.start({}, { log });
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);

  await withAdmin(connection.brokers, (admin) =>
    admin.createPartitions({ topics: [{ name: counting.input, count: 4 }] }),
  );
  // A new member causes a rebalance, so that the group assigns the new partitions at once.
  const client = openStreamClient({ brokers: connection.brokers, clientId: 'partitions', log: quietLog });
  const another = client.openGroupMember({
    group: counting.application,
    topic: counting.input,
    sessionTimeoutMs: 300_000,
    listener: { onAssigned: () => {}, onLost: () => {}, onHeartbeat: () => {}, onFenced: () => {} },
  });
  await another.start();
  await another.stop();
  await client.close();

  const refused = await until('the refusals', () => {
    const found = lines.filter((line) => line.includes('PARTITIONS_DIFFER'));
    return found.length >= 2 ? found : undefined;
  });
  expect(refused.join()).toContain(`${counting.input} has a partition 3 now`);
  await counting.send(['a', '2'], ['bb', '2']);
  await untilTrue('two more', async () => (await metric('touchline_records_total')) === 4);
  expect(await counting.read(counting.counts)).toEqual({ a: '2', bb: '2' });
  expect(await metric('touchline_tasks', { state: 'refused' })).toBe(2);
});
