import { test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { expectSame, FAULT_TIMEOUT_MS, LOAD, PARTITIONS, undisturbed } from '../../support/harness.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { workload } from '../../support/workload.ts';

const place = backbone();

test(
  'a processor stopped past its session timeout and then resumed writes nothing',
  async () => {
    const expected = await undisturbed({ ...place, prefix: `${place.prefix}calm.` });
    const pipeline = await Pipeline.create({
      ...place,
      prefix: `${place.prefix}zombie.`,
      partitions: PARTITIONS,
    });
    const zombie = pipeline.startProcessor();
    await zombie.ready();
    const messages = workload(LOAD);
    const feed = await pipeline.openFeed();

    // Stopped in the middle of its work: with messages in process, and sometimes with open transactions.
    const first = feed.send(messages.slice(0, 600));
    await untilTrue('it has begun', async () => (await zombie.metric('touchline_transactions_total')) > 0);
    zombie.signal('SIGSTOP');
    await first;
    await feed.send(messages.slice(600, 1_200));

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

    await feed.send(messages.slice(1_200));
    await feed.close();
    await pipeline.settled();
    expectSame(await pipeline.output(), expected);
  },
  FAULT_TIMEOUT_MS,
);
