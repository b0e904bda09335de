/** Refuses logs that lost their end, as after a power loss, a lost disk or an unclean election, and publishes nothing. */
import { rmSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { partitionKey } from '#streams/client/port.ts';
import { followLogs, PositionLostError } from '#streams/read/follow.ts';
import { setPosition } from '../../../cli/commands/position/run.ts';
import { atEnd } from '../../support/at-end.ts';
import { cutLog, partitionFolder } from '../../support/cut-log.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { type RestartableKafka, restartableKafka } from '../../support/restartable-kafka.ts';
import { CountingApplication, keepingLog } from './counting.ts';

const NAMES = [
  'cut changelog',
  'lost changelog',
  'cut input',
  'cut input while it is read',
  'unhurt',
] as const;
type Name = (typeof NAMES)[number];

let restartable: RestartableKafka;
const applications = new Map<Name, CountingApplication>();
/** The log lines of the member that ran while its input was cut. */
let running: { readonly lines: readonly string[]; readonly stop: () => Promise<void> };

/** A reader that was at the end of an input when the input was cut: its checkpoints, and the error that ended it. */
let follower: {
  readonly from: ReadonlyMap<string, number>;
  readonly epochs: ReadonlyMap<string, number>;
  readonly ended: Promise<unknown>;
};

async function startFollower(topic: string): Promise<typeof follower> {
  const [from, epochs] = [new Map<string, number>(), new Map<string, number>()];
  const stopping = new AbortController();
  atEnd(() => stopping.abort());
  const ended = followLogs({
    brokers: restartable.directBrokers,
    topics: [topic],
    signal: stopping.signal,
    onBatch(batch) {
      for (const of of batch) {
        from.set(partitionKey(of), of.next);
        if (of.epoch !== null) epochs.set(partitionKey(of), of.epoch);
      }
    },
  }).catch((error: unknown) => error);
  await untilTrue('it has read all', () => from.get(`${topic}-1`) === 3);
  return { from: new Map(from), epochs: new Map(epochs), ended };
}

/** Starts applications that count three records each, and crashes the broker so that their logs lose records. */
beforeAll(async () => {
  restartable = await restartableKafka();
  const { kafka, directBrokers: brokers } = restartable;
  for (const name of NAMES)
    applications.set(name, await CountingApplication.create({ brokers, prefix: 'truncation.' }));
  await Promise.all(NAMES.map((name) => countToThree(of(name), name)));
  follower = await startFollower(of('cut input').input);
  await kafka.kill('SIGKILL');
  const { dataDir } = restartable;
  const second = (topic: string) => ({ topic, partition: 1 });
  cutLog(dataDir, second(of('cut changelog').counts), 2);
  rmSync(partitionFolder(dataDir, second(of('lost changelog').counts)), { recursive: true });
  cutLog(dataDir, second(of('cut input').input), 2);
  cutLog(dataDir, second(of('cut input while it is read').input), 2);
  await kafka.start();
  for (const name of NAMES) for (const value of ['x', 'y', 'z', 'u']) await of(name).send(['a', value]);
});

function of(name: Name): CountingApplication {
  const counting = applications.get(name);
  if (counting === undefined) throw new Error(`no application ${name}`);
  return counting;
}

const serviceOf = ({ application }: CountingApplication): string => application.slice('truncation.'.length);

/** Counts three records of partition 1, each in a separate transaction. */
async function countToThree(counting: CountingApplication, name: Name): Promise<void> {
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log });
  for (const value of ['1', '2', '3']) {
    await counting.send(['a', value]);
    await untilTrue(
      `a counts ${value}`,
      async () => (await metric('touchline_records_total')) === Number(value),
    );
  }
  if (name === 'cut input while it is read') running = { lines, stop: () => stream.stop() };
  else await stream.stop();
}

/** Starts a member, stops it after it refused partition 1 with `code`, and returns the log line. Checks that it processed nothing. */
async function refusal(counting: CountingApplication, code: string): Promise<string> {
  const { log, lines } = keepingLog();
  const { stream, metric } = await counting.start({}, { log });
  const message = await until(`the refusal ${code}`, () =>
    lines.find((line) => line.startsWith('{"partition":1,') && line.includes(`"${code}"`)),
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lines.join('\n')}`);
  });
  expect(stream.ready()).toBe(false);
  expect(await metric('touchline_records_total')).toBe(0);
  await stream.stop();
  return message;
}

test('refuses a changelog that lost its end, and counts nothing from the remaining records', async () => {
  const counting = of('cut changelog');
  const message = await refusal(counting, 'CHANGELOG_TRUNCATED');
  expect(message).toContain(`${counting.counts}-1 ends at offset 4 and had reached 6 at the position 3`);
  expect(message).toContain(`npx touchline rebuild ${serviceOf(counting)}`);
  expect(message).toContain(`npx touchline position ${serviceOf(counting)} 1 3 --accept-state`);
  expect(await counting.history(counting.counts)).toEqual([
    ['a', '1'],
    ['a', '2'],
  ]);
});

test('refuses a changelog whose folder was lost, until an operator accepts the remaining state', async () => {
  const counting = of('lost changelog');
  const message = await refusal(counting, 'CHANGELOG_TRUNCATED');
  expect(message).toContain(`${counting.counts}-1 ends at offset 0 and had reached 6`);
  expect(await counting.history(counting.counts)).toEqual([]);

  const { application, brokers, input, counts } = counting;
  const topics = { application, input, changelogs: [counts], outputs: [] };
  const position = { brokers, partition: 1, to: 3 };
  await setPosition(topics, position);
  await refusal(counting, 'CHANGELOG_TRUNCATED');
  await setPosition(topics, { ...position, acceptsState: true });
  const { metric } = await counting.start();
  await untilTrue('it continues', async () => (await metric('touchline_records_total')) === 4);
  expect(await counting.read(counts)).toEqual({ a: '4' });
});

test('refuses an input that lost its end and grew again, as other records have the lost offsets', async () => {
  const counting = of('cut input');
  const message = await refusal(counting, 'INPUT_TRUNCATED');
  expect(message).toContain(`${counting.input}-1 lost 2 processed records, from offset 1 to the position 3`);
  expect(message).toContain(`npx touchline position ${serviceOf(counting)} 1 1`);
  expect(message).toContain(`npx touchline rebuild ${serviceOf(counting)}`);
  expect(await counting.read(counting.counts)).toEqual({ a: '3' });
});

test('refuses an input that loses its end while it is read', async () => {
  const counting = of('cut input while it is read');
  await untilTrue('it is refused', () => running.lines.some((line) => line.includes('INPUT_TRUNCATED')));
  await running.stop();
  expect(await counting.read(counting.counts)).toEqual({ a: '3' });
});

test('ends a reader whose log lost records that were read, while it reads and after a restart', async () => {
  expect(await follower.ended).toBeInstanceOf(PositionLostError);
  const { from, epochs } = follower;
  const { input } = of('cut input');
  const restarted = followLogs({
    brokers: restartable.directBrokers,
    topics: [input],
    from,
    epochs,
    onBatch: () => {},
  });
  await expect(restarted).rejects.toBeInstanceOf(PositionLostError);
});

test('continues after a crash that loses nothing', async () => {
  const counting = of('unhurt');
  const { metric } = await counting.start();
  await untilTrue('it continues', async () => (await metric('touchline_records_total')) === 4);
  expect(await counting.read(counting.counts)).toEqual({ a: '7' });
  expect(await metric('touchline_task_failures_total')).toBe(0);
});
