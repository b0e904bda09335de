/**
 * Disturbs processors and their broker under load in every way: the output must be that of an undisturbed processor.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import {
  disturbed,
  expectSame,
  FAULT_TIMEOUT_MS,
  LOAD,
  PARTITIONS,
  times,
  undisturbed,
} from '../../support/harness.ts';
import { Pipeline, type PipelineOutput } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { workload } from '../../support/workload.ts';

const connection = { ...backbone(), services: ['match-processor'] as const };
const KILLS = times(30, 3);
const MESSAGES = workload({ ...LOAD, perEvent: times(LOAD.perEvent, 30) });
/** A load that is long enough for every restart. */
const LONG_LOAD = { ...LOAD, perEvent: 300 };

let expected: PipelineOutput;

beforeAll(async () => {
  expected = await undisturbed({ ...connection, prefix: `${connection.prefix}calm.` }, MESSAGES);
}, FAULT_TIMEOUT_MS);

test(
  `${KILLS} times kill -9 of a running processor under load: no loss, no duplicates`,
  async () => {
    const actual = await disturbed({
      connection: { ...connection, prefix: `${connection.prefix}killed.` },
      processors: 2,
      count: KILLS,
      load: MESSAGES,
      async disturb({ processors, pipeline, random }) {
        // Sometimes while the victim claims its partitions, sometimes within its transactions.
        await delay(random() * 2_500);
        const victim = Math.floor(random() * processors.length);
        await processors[victim]?.kill();
        // Restarts under the killed process's name, or as another host while the group still waits for the killed one.
        const name = random() < 0.5 ? {} : { GROUP_INSTANCE_ID: `processor-${victim}` };
        processors[victim] = pipeline.startProcessor(name);
      },
    });
    expectSame(actual, expected);
  },
  FAULT_TIMEOUT_MS,
);

test(
  'a processor stopped past its session timeout and then resumed writes nothing',
  async () => {
    const pipeline = await Pipeline.create({
      ...connection,
      prefix: `${connection.prefix}zombie.`,
      partitions: PARTITIONS,
    });
    const zombie = pipeline.startProcessor();
    await zombie.ready();
    const third = Math.ceil(MESSAGES.length / 3);
    const feed = await pipeline.openFeed();

    // Stopped during processing, sometimes with open transactions.
    const first = feed.send(MESSAGES.slice(0, third));
    await untilTrue('it has begun', async () => (await zombie.metric('touchline_transactions_total')) > 0);
    zombie.signal('SIGSTOP');
    await first;
    await feed.send(MESSAGES.slice(third, 2 * third));

    const heir = pipeline.startProcessor();
    await heir.ready();
    await pipeline.settled();
    const before = await pipeline.output();

    zombie.signal('SIGCONT');
    await untilTrue(
      'the zombie found out',
      async () =>
        (await zombie.metric('touchline_task_failures_total')) > 0 ||
        zombie.lines.some((line) => line.includes('the member joins or asks again')),
    );
    const after = await pipeline.output();
    expectSame(after, before);

    await feed.send(MESSAGES.slice(2 * third));
    await feed.close();
    await pipeline.settled();
    expectSame(await pipeline.output(), expected);
  },
  FAULT_TIMEOUT_MS,
);

// In a usual run the simulation restarts brokers, and test/integration/streams/kept-state.test.ts kills a real one.
test.each(times([100], []))(
  '%d restarts of the broker under load: no loss, no duplicates',
  async (count) => {
    const { kafka, directBrokers: brokers } = await restartableKafka();
    const load = workload(LONG_LOAD);
    const wanted = await undisturbed({ ...connection, prefix: `${connection.prefix}long.` }, load);
    const actual = await disturbed({
      connection: { ...connection, brokers, prefix: `${connection.prefix}restarted.` },
      processors: 2,
      count,
      load,
      async disturb({ step, random }) {
        await delay(random() * 1_500);
        // In turns a graceful stop and a crash.
        await kafka.kill(step % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await delay(random() * 3_000);
        await kafka.start();
      },
    });
    expectSame(actual, wanted, { offsets: false });
  },
  FAULT_TIMEOUT_MS,
);
