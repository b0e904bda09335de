/**
 * Runs each command that the log of the match processor, doctor and the catalogue of errors print for a
 * partition that is refused, as a process and while the processor runs: the partition is processed again.
 * test/system/orders/refusing.release.test.ts does so with `touchline rebuild` beside `touchline up`.
 */
import kafkajs from 'kafkajs';
import { beforeEach, describe, expect, test } from 'vitest';
import { topicBounds } from '#cluster/logs.ts';
import { ERRORS } from '#errors/catalogue.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { findPosition, type LogMark, type Position, positionRecord } from '#streams/runtime/positions.ts';
import { deleteTopics } from '#topics/admin.ts';
import { commandsIn } from '../../../cli/testing/printed-commands.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { cutLog } from '../../support/cut-log.ts';
import { connectionEnv } from '../../support/environment.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { quietLog } from '../../support/log.ts';
import { FEW_PARTITIONS, Pipeline, type PipelineConnection } from '../../support/pipeline.ts';
import { DEADLINE_MS, until } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { type BlockRun, runBlock } from '../../support/runbook.ts';
import { makeOnly } from '../../support/topics.ts';
import { workload } from '../../support/workload.ts';

/** Size of a batch that no reader decompresses, bytes. */
const BEYOND_LIMIT = 65 * 1024 * 1024;
const LOAD = workload({ events: 6, perEvent: 10, seed: 3 });

let connection: PipelineConnection;
let pipeline: Pipeline;
/** A partition with messages. */
let partition: number;

beforeEach(() => play(backbone()));

/** Processes messages on a broker. */
async function play(at: PipelineConnection): Promise<void> {
  connection = at;
  pipeline = await Pipeline.create(connection);
  await pipeline.feed(LOAD);
  const log = await topicBounds({ ...connection, clientId: 'test' }, [topicOf('normalized-messages')]);
  ({ partition } = log.find((one) => one.end > 1) ?? expect.fail('no messages'));
  const processor = pipeline.startProcessor();
  await pipeline.settled();
  await processor.stop();
}

const topicOf = (name: string): string => `${connection.prefix}${name}`;

/** Writes the position of the partition as the last commit did, with this change of its JSON. */
async function changeStored(change: (stored: Record<string, unknown>) => object): Promise<void> {
  await changePosition(
    () => ({}),
    (value) => {
      const known = JSON.parse(String(value));
      return Buffer.from(JSON.stringify({ ...known, ...change(known) }));
    },
  );
}

/** Writes the position of the partition as the last commit did, with this change. */
async function changePosition(
  change: (position: Position) => Partial<Position>,
  encoded = (value: Buffer) => value,
): Promise<void> {
  const topic = topicOf('match-processor-positions');
  const client = openStreamClient({ brokers: connection.brokers, clientId: 'test', log: quietLog });
  const known = (await findPosition(client, topic, partition)) ?? expect.fail('no position');
  await client.close();
  const { key, value } = positionRecord(topic, partition, { ...known, ...change(known) });
  await publish({ topic, partition, key: String(key), value: encoded(Buffer.from(value ?? '')) });
}

async function publish(record: {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: Buffer;
}): Promise<void> {
  const options = { brokers: connection.brokers, clientId: 'test', log: quietLog, timeoutMs: DEADLINE_MS };
  await withPublisher(options, (publisher) => publisher.publish([record]));
}

function touchline(command: string): Promise<BlockRun> {
  return runBlock(`npx touchline ${command}`, connectionEnv(connection));
}

/** The log line of a refusal. */
type Refusal = { readonly partition: number; readonly msg: string; readonly err?: Error };

/** Starts the processor, and returns the commands for its refusals with this code: each for all partitions that are refused. */
async function refused(
  code: string,
): Promise<{ processor: TestService; commands: ReadonlyMap<string, readonly string[]> }> {
  const processor = pipeline.startProcessor();
  const tasksIn = (state: string) => processor.metric('touchline_tasks', `state="${state}"`);
  // A refused task is claimed again now and then: its state and its line are looked at together.
  const logged = await until(
    `the partitions are refused or running, and their refusals logged (${code})`,
    async () => {
      const [count, running] = [await tasksIn('refused'), await tasksIn('running')];
      const commands = processor.lines
        .filter((one) => one.includes(`"code":"${code}"`))
        .map((line) => JSON.parse(line) as Refusal)
        .map(({ partition, msg, err }) => [partition, commandsIn(`${msg}\n${err?.message ?? ''}`)] as const);
      const byPartition = new Map(commands);
      const isWhole = count > 0 && count + running === FEW_PARTITIONS && byPartition.size === count;
      return isWhole ? byPartition : undefined;
    },
  );
  const doctor = await touchline('doctor');
  const [, advice = ''] = (ERRORS.RefusedError as Readonly<Record<string, readonly string[]>>)[code] ?? [];
  const generic = commandsIn(`${doctor.out}\n${advice}`).filter((command) =>
    /^(?:position|rebuild) (?:match-processor|<processor>)/.test(command),
  );
  const forms = new Set([...[...logged.values()].flat(), ...generic].map(formOf));
  const commands = new Map(
    [...forms].map((form) => [form, [...new Set([...logged].map(([of, own]) => filled(form, of, own)))]]),
  );
  return { processor, commands };
}

/** Returns a command with names for its partition and its offset. */
function formOf(command: string): string {
  return command
    .replace('<processor>', 'match-processor')
    .replace(/^position match-processor \d+ /, 'position match-processor <partition> ')
    .replace(/<partition> \d+/, '<partition> <offset>');
}

/** Fills in what a reader does: an offset is that of the partition's log line, or the start where it names none. */
function filled(form: string, of: number, own: readonly string[]): string {
  const [offset = 'start'] = own.flatMap((one) => /^position \S+ \d+ (\d+)/.exec(one)?.[1] ?? []);
  return form.replace('<partition>', String(of)).replace('<offset>', offset);
}

/** Runs printed commands, and waits until all partitions are processed up to their ends. */
async function mends(processor: TestService, commands: readonly string[]): Promise<void> {
  const isRebuild = commands.some((command) => command.startsWith('rebuild'));
  if (isRebuild) {
    const refusal = await touchline(commands[0] ?? '');
    expect(refusal, refusal.err).toMatchObject({ code: 1, err: expect.stringContaining('stop them first') });
    await processor.stop();
  }
  for (const command of commands) {
    const done = await touchline(command);
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
  await pipeline.feed(LOAD);
  const offset = BigInt((await endOf('normalized-messages')) - 1);
  const lost = { name: topicOf('normalized-messages'), partitions: [{ partition, offset }] };
  await withAdmin(connection.brokers, (admin) => admin.deleteRecords({ topics: [lost] }));
}

/** Names the marker of the last commit, which is no record, as the last record of an output. */
async function loseOutput(): Promise<void> {
  await commitMore();
  const end = await endOf('match-transitions');
  await changePosition(({ logs }) => ({ logs: withMark(logs, 'match-transitions', { last: end - 1 }) }));
}

/** Adds what nobody can read to the states of the partition, as the last commit's last record. */
async function spoilChangelog(): Promise<void> {
  await commitMore();
  await publish({ topic: topicOf('match-state'), partition, key: '1', value: Buffer.from([9, 9, 9]) });
  const end = await endOf('match-state');
  await changePosition(({ logs }) => ({ logs: withMark(logs, 'match-state', { end, last: end - 1 }) }));
}

/** Processes further messages: a position that a command has written names no logs before the next commit. */
async function commitMore(): Promise<void> {
  const processor = pipeline.startProcessor();
  await pipeline.feed(LOAD);
  await pipeline.settled();
  await processor.stop();
}

async function endOf(name: string): Promise<number> {
  const log = await topicBounds({ ...connection, clientId: 'test' }, [topicOf(name)]);
  return log.find((one) => one.partition === partition)?.end ?? expect.fail(`no ${name}`);
}

async function recreateInput(): Promise<void> {
  await recreate('normalized-messages');
  await pipeline.feed(LOAD);
}

async function recreate(name: string): Promise<void> {
  const { brokers, prefix } = connection;
  await deleteTopics(brokers, [topicOf(name)]);
  await makeOnly(new Set([topicOf(name)]), { brokers, prefix, partitions: FEW_PARTITIONS });
}

/** What happened to a platform, by the code of the refusal. */
const STATES: readonly [code: string, happens: () => Promise<void>][] = [
  ['POSITION_BEYOND_END', () => changePosition(({ next }) => ({ next: next + 50 }))],
  ['INPUT_LOST', loseInput],
  ['INPUT_RECREATED', recreateInput],
  [
    'CHANGELOG_TRUNCATED',
    () => changePosition(({ logs }) => ({ logs: withMark(logs, 'match-state', { end: 9_000 }) })),
  ],
  ['CHANGELOG_UNREADABLE', spoilChangelog],
  [
    'POSITION_TRUNCATED',
    () => changePosition(({ logs }) => ({ logs: withMark(logs, 'match-state', { end: 1, last: null }) })),
  ],
  ['OUTPUT_TRUNCATED', loseOutput],
  ['CHANGELOG_RECREATED', () => recreate('match-incidents')],
  ['POSITION_MISSING', () => recreate('match-processor-positions')],
  ['LAYOUT_UNKNOWN', () => changeStored(() => ({ layout: 1 }))],
];

/** Brings about a state again for each command that is printed for it, and mends it with this command. */
async function mendsEach(code: string, happens: () => Promise<void>): Promise<void> {
  const done = new Set<string>();
  for (;;) {
    await happens();
    const { processor, commands } = await refused(code);
    const form = [...commands.keys()].find((one) => !done.has(one));
    if (form === undefined) {
      await processor.stop();
      expect(done.size).toBeGreaterThan(0);
      return;
    }
    done.add(form);
    await mends(processor, commands.get(form) ?? []);
  }
}

describe('a processor that refuses its input or state', () => {
  test.each(STATES)('%s: processes it again after each command that is printed for it', mendsEach);

  test('INPUT_TRUNCATED: processes it again after each command that is printed for it', async () => {
    const { kafka, dataDir, directBrokers } = await restartableKafka();
    await play({ ...backbone(), brokers: directBrokers });
    await mendsEach('INPUT_TRUNCATED', async () => {
      await commitMore();
      await kafka.kill('SIGKILL');
      cutLog(dataDir, { topic: topicOf('normalized-messages'), partition }, 1);
      await kafka.start();
      // Other records have the lost offsets.
      await pipeline.feed(LOAD);
    });
  });
});

test('a batch that is too large to decompress: the command of its error goes on after it', async () => {
  const topic = topicOf('normalized-messages');
  const producer = createKafka({ brokers: connection.brokers, clientId: 'another writer' }).producer();
  await producer.connect();
  const messages = [{ partition, value: Buffer.alloc(BEYOND_LIMIT) }];
  await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages });
  await producer.disconnect();
  const processor = pipeline.startProcessor();
  const after = await until('the offset after the batch is named', () =>
    processor.lines.map((line) => /continue after it, at offset (\d+)/.exec(line)?.[1]).find(Boolean),
  );
  const [command = ''] = commandsIn(ERRORS.RecordBatchError.TOO_LARGE[1]);
  const values = { processor: 'match-processor', partition: String(partition), offset: after };
  const done = await touchline(
    command.replaceAll(/<(\w+)>/g, (_, name: keyof typeof values) => values[name]),
  );
  expect(done, done.err).toMatchObject({ code: 0, err: '' });
  await pipeline.settled();
  await processor.stop();
});
