/** Refuses positions, inputs and topics with which continuing would lose or repeat records, and names the remedy. */

import { beforeEach, describe, expect, test } from 'vitest';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { recreateTopic } from '../../support/topics.ts';
import { CountingApplication, keepingLog } from './counting.ts';

const connection = backbone();
let counting: CountingApplication;
let service: string;

beforeEach(async () => {
  counting = await CountingApplication.create(connection);
  service = counting.application.slice(connection.prefix.length);
});

/** Counts three records of partition 1, and stops. */
async function countThree(): Promise<void> {
  const { stream, metric } = await counting.start();
  await counting.send(['a', '1'], ['b', '1'], ['a', '2']);
  await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
  await stream.stop();
}

/** Starts a member, and returns its log line with this code of partition 1. */
async function refusal(code: string) {
  const { log, lines } = keepingLog();
  const started = await counting.start({}, { log });
  const message = await until(`the refusal ${code}`, () =>
    lines.find((line) => line.startsWith('{"partition":1,') && line.includes(`"${code}"`)),
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lines.join('\n')}`);
  });
  expect(await started.metric('touchline_task_failures_total', { code })).toBeGreaterThan(0);
  expect(await started.metric('touchline_tasks', { state: 'running' })).toBeLessThan(2);
  expect(started.stream.ready()).toBe(false);
  return { ...started, message, lines };
}

/** Deletes the records of partition 1 before an offset, as retention does. */
async function deleteBefore(name: string, offset: number): Promise<void> {
  const lost = { name, partitions: [{ partition: 1, offset: BigInt(offset) }] };
  await withAdmin(connection.brokers, (admin) => admin.deleteRecords({ topics: [lost] }));
}

const recreate = (topic: string, numPartitions: number) =>
  recreateTopic(connection.brokers, { topic, numPartitions });

test('a changelog whose first records were deleted is refused, also when its policy is put back', async () => {
  await countThree();
  const setPolicy = (policy: string) =>
    withTopicAdmin(connection.brokers, 30_000, (admin) =>
      admin.alterSettings(new Map([[counting.counts, { 'cleanup.policy': policy }]])),
    );
  await setPolicy('delete');
  await untilTrue('the broker deletes records', () =>
    deleteBefore(counting.counts, 2).then(
      () => true,
      () => false,
    ),
  );
  await setPolicy('compact');
  const { message } = await refusal('CHANGELOG_TRUNCATED');
  expect(message).toContain(`${counting.counts}-1 begins at offset 2 and began at 0 at the position 3`);
  expect(message).toContain(`npx touchline rebuild ${service}`);
  expect(message).toContain(`npx touchline position ${service} 1 3 --accept-state`);
});

test('refuses a changelog that is created again within a minute, without another message', async () => {
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log });
  await counting.send(['a', '1'], ['b', '1'], ['a', '2']);
  await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
  const began = performance.now();
  await recreate(counting.counts, 2);
  await untilTrue('the refusal', async () => (await metric('touchline_tasks', { state: 'refused' })) === 1);
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(stream.ready()).toBe(false);
  expect(lines.join('\n')).toContain('CHANGELOG_RECREATED');
});

describe('an input', () => {
  test('that was deleted and created again while it was processed is refused', async () => {
    const { log, lines } = keepingLog();
    const { metric } = await counting.start({}, { log });
    await counting.send(['a', '1'], ['b', '1'], ['a', '2']);
    await untilTrue('three records', async () => (await metric('touchline_records_total')) === 3);
    await recreate(counting.input, 2);
    await counting.send(['a', '3'], ['a', '4'], ['a', '5'], ['a', '6'], ['a', '7']);
    const message = await until('the refusal', () =>
      lines.find((line) => line.includes('INPUT_RECREATED')),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${lines.join('\n')}`);
    });
    expect(message).toContain(`${counting.input}-1 is not the topic that position 3 was written for`);
    // As many as it had when the task noticed, which may be before the first one.
    expect(message).toMatch(/has offsets 0 to [0-5];/);
    expect(message).toContain(`npx touchline position ${service} 1 end`);
    expect(message).toContain(`npx touchline position ${service} 1 start`);
    expect(await counting.read(counting.counts)).toEqual({ a: '2', b: '1' });
  });

  test('that lost unprocessed records is refused, or counts them with onLostInput continue', async () => {
    await countThree();
    await counting.send(['a', '3'], ['a', '4'], ['a', '5'], ['a', '6']);
    await deleteBefore(counting.input, 5);
    const { message, stream } = await refusal('INPUT_LOST');
    expect(message).toContain(`${counting.input}-1 begins at offset 5, after the position 3`);
    expect(message).toContain(`npx touchline position ${service} 1 5`);
    expect(message).toContain('ON_LOST_INPUT=continue');
    await stream.stop();

    const { log, lines } = keepingLog();
    const { metric } = await counting.start({}, { log, onLostInput: 'continue' });
    await untilTrue('the rest', async () => (await metric('touchline_records_total')) === 2);
    expect(await metric('touchline_lost_records_total')).toBe(2);
    expect(lines.filter((line) => line.includes('INPUT_LOST'))).toHaveLength(1);
    expect(await counting.read(counting.counts)).toEqual({ a: '4', b: '1' });
  });
});
