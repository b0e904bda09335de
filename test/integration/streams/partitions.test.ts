/** Topics whose partition counts do not match. */
import { describe, expect, test } from 'vitest';
import { openStreamClient } from '#streams/client/client.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { quietLog } from '../../support/log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { CountingApplication, type CountingTopics, keepingLog } from './counting.ts';

const connection = backbone();

describe('a start is refused', () => {
  test.each<[string, CountingTopics, (counting: CountingApplication) => string]>([
    ['a missing positions topic', { positions: null }, ({ positions }) => `${positions} is missing`],
    ['fewer partitions of a changelog', { counts: 1 }, ({ counts }) => `${counts} has 1 partitions, not 2`],
    [
      'more partitions of the positions topic',
      { positions: 3 },
      ({ positions }) => `${positions} has 3 partitions, not 2`,
    ],
    [
      'a missing output, and an input that grew',
      { input: 3, letters: null },
      ({ counts, letters }) => `${counts} has 2 partitions, not 3; ${letters} is missing`,
    ],
  ])('with %s', async (_what, topics, problem) => {
    const counting = await CountingApplication.create(connection, topics);
    const starting = counting.start();
    await expect(starting).rejects.toMatchObject({ code: 'PARTITIONS_DIFFER' });
    await expect(starting).rejects.toThrow(problem(counting));
    await expect(starting).rejects.toThrow('npx touchline topics');
  });
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
  await untilTrue(
    'two are refused',
    async () => (await metric('touchline_tasks', { state: 'refused' })) === 2,
  );
});
