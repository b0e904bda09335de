/**
 * Runs each command that the match processor prints while it refuses a partition, as printed and while it runs: the partition is
 * processed again. test/system/orders/refusing.test.ts does so with `touchline rebuild` beside `touchline up`, and
 * test/integration/streams/truncation.test.ts with an input that lost its end.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { topicBounds } from '#cluster/logs.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { findPosition, type LogMark, type Position, positionRecord } from '#streams/runtime/positions.ts';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { withKafkaAdmin } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { FEW_PARTITIONS, Pipeline, type PipelineConnection } from '../../support/pipeline.ts';
import { DEADLINE_MS, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { recreateTopic } from '../../support/topics.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { workload } from '../../support/workload.ts';

const LOAD = workload({ events: 6, perEvent: 10, seed: 3 });
const PRINTED = /npx touchline ((?:position|rebuild) [a-z-]+(?: \d+ (?:\d+|start|end))?(?: --[a-z-]+)*)/g;

let place: PipelineConnection;
let pipeline: Pipeline;
/** A partition with messages. */
let partition: number;

beforeEach(async () => {
  place = backbone();
  pipeline = await Pipeline.create(place);
  await pipeline.feed(LOAD);
  const log = await topicBounds({ ...place, clientId: 'test' }, [topicOf('normalized-messages')]);
  ({ partition } = log.find((one) => one.end > 1) ?? expect.fail('no messages'));
  const processor = pipeline.startProcessor();
  await pipeline.settled();
  await processor.stop();
});

const topicOf = (name: string): string => `${place.prefix}${name}`;

/** Writes the position of the partition as the last commit did, with this change. */
async function changePosition(change: (position: Position) => Partial<Position>): Promise<void> {
  const topic = topicOf('match-processor-positions');
  const client = openStreamClient({ brokers: place.brokers, clientId: 'test', log: quietLog });
  const known = (await findPosition(client, topic, partition)) ?? expect.fail('no position');
  await client.close();
  const { key, value } = positionRecord(topic, partition, { ...known, ...change(known) });
  const options = { brokers: place.brokers, clientId: 'test', log: quietLog, timeoutMs: DEADLINE_MS };
  await withPublisher(options, (publisher) => publisher.publish([{ topic, partition, key, value }]));
}

/** Starts the processor, and returns the commands of its refusals with this code: of each partition the same, in their order. */
async function refused(code: string): Promise<{ processor: TestService; commands: string[][] }> {
  const processor = pipeline.startProcessor();
  const tasksIn = (state: string) => processor.metric('touchline_tasks', `state="${state}"`);
  await untilTrue(
    `the partitions are refused or running (${code})`,
    async () =>
      (await tasksIn('refused')) > 0 &&
      (await tasksIn('refused')) + (await tasksIn('running')) === FEW_PARTITIONS,
  );
  const lines = processor.lines.filter((one) => one.includes(`"code":"${code}"`));
  const printed = lines.map((line) => [...line.matchAll(PRINTED)].map(([, command = '']) => command));
  const commands = (printed[0] ?? expect.fail(processor.log)).map((_, at) => [
    ...new Set(printed.map((one) => one[at] ?? '')),
  ]);
  return { processor, commands };
}

/** Runs printed commands, and waits until all partitions are processed up to their ends. */
async function mends(processor: TestService, commands: readonly string[]): Promise<void> {
  const env = connectionEnv(place);
  const isRebuild = commands.some((command) => command.startsWith('rebuild'));
  if (isRebuild) {
    const refusal = await touchlineHere((commands[0] ?? '').split(' '), env);
    expect(refusal, refusal.err).toMatchObject({ code: 1, err: expect.stringContaining('stop them first') });
    await processor.stop();
  }
  for (const command of commands) {
    const done = await touchlineHere(command.split(' '), env);
    expect(done, `${command}: ${done.err}`).toMatchObject({ code: 0, err: '' });
  }
  const again = isRebuild ? pipeline.startProcessor() : processor;
  await again.ready();
  await pipeline.settled();
  await again.stop();
}

function withMark(logs: Position['logs'], name: string, change: Partial<LogMark>): Position['logs'] {
  const topic = topicOf(name);
  return { ...logs, [topic]: { ...(logs[topic] ?? expect.fail(`no mark of ${topic}`)), ...change } };
}

/** Removes records that were not processed, as retention does. */
async function loseInput(): Promise<void> {
  const topic = topicOf('normalized-messages');
  await pipeline.feed(LOAD);
  await withKafkaAdmin(place.brokers, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const high = offsets.find((one) => one.partition === partition)?.high ?? expect.fail('no offsets');
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(Number(high) - 1) }] });
  });
}

/** Names the marker of the last commit, which is no record, as the last record of an output. */
async function loseOutput(): Promise<void> {
  const log = await topicBounds({ ...place, clientId: 'test' }, [topicOf('match-transitions')]);
  const { end } = log.find((one) => one.partition === partition) ?? expect.fail('no output');
  await changePosition(({ logs }) => ({ logs: withMark(logs, 'match-transitions', { last: end - 1 }) }));
}

async function recreateInput(): Promise<void> {
  await recreate('normalized-messages');
  await pipeline.feed(LOAD);
}

function recreate(name: string): Promise<void> {
  return recreateTopic(place.brokers, { topic: topicOf(name), numPartitions: FEW_PARTITIONS });
}

/** What happened to a platform, by the code of the refusal; the number of commands that it prints. */
const STATES: readonly [code: string, commands: number, happens: () => Promise<void>][] = [
  ['POSITION_BEYOND_END', 2, () => changePosition(({ next }) => ({ next: next + 50 }))],
  ['INPUT_LOST', 1, loseInput],
  ['INPUT_RECREATED', 2, recreateInput],
  [
    'CHANGELOG_TRUNCATED',
    2,
    () => changePosition(({ logs }) => ({ logs: withMark(logs, 'match-state', { end: 9_000 }) })),
  ],
  ['OUTPUT_TRUNCATED', 2, loseOutput],
  ['CHANGELOG_RECREATED', 1, () => recreate('match-incidents')],
  ['POSITION_MISSING', 1, () => recreate('match-processor-positions')],
];

describe('a processor that refuses its input or state', () => {
  test.each(STATES)(
    '%s: processes it again after each command that it prints',
    async (code, count, happens) => {
      await happens();
      const { processor, commands } = await refused(code);
      expect(commands).toHaveLength(count);
      await mends(processor, commands[0] ?? []);
      for (let at = 1; at < count; at++) {
        await happens();
        const next = await refused(code);
        await mends(next.processor, next.commands[at] ?? []);
      }
    },
  );
});
