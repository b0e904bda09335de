/** Processors that are started again under their names. */
import { expect, test } from 'vitest';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { workload } from '../../support/workload.ts';

const place = backbone();
/** Longer than a test waits: nothing here is due to the end of a session. */
const SESSION_TIMEOUT_MS = '300000';

async function started(name: string) {
  const pipeline = await Pipeline.create({ ...place, prefix: `${place.prefix}${name}.` });
  const start = (settings: Readonly<Record<string, string>>) =>
    pipeline.startProcessor({ SESSION_TIMEOUT_MS, ...settings });
  return { pipeline, start };
}

const assignments = ({ lines }: TestService): number =>
  lines.filter((line) => line.includes('partitions assigned')).length;
const tasks = (process: TestService): Promise<number> => process.metric('touchline_tasks', 'state="running"');

test.each([
  ['killed', async (process: TestService) => process.kill(), {}],
  [
    'stopped, with LEAVE_ON_STOP=off',
    async (process: TestService) => process.stop(),
    { LEAVE_ON_STOP: 'off' },
  ],
])(
  'a processor that is %s and started again claims its partitions, and no partition moves',
  async (_, end, settings) => {
    const { pipeline, start } = await started(Object.keys(settings).join());
    const names = ['one', 'two'].map((name) => ({ GROUP_INSTANCE_ID: name, ...settings }));
    const [first, second] = names.map(start) as [TestService, TestService];
    await untilTrue('they share', async () => (await tasks(first)) > 0 && (await tasks(second)) > 0);
    const [before, held] = [assignments(second), await tasks(first)];
    await end(first);
    await pipeline.feed(workload({ events: 20, perEvent: 2, seed: 3 }));
    const again = start({ GROUP_INSTANCE_ID: 'one', ...settings });
    await again.ready();
    await pipeline.settled();
    expect(await tasks(again)).toBe(held);
    expect(assignments(again)).toBe(1);
    expect(assignments(second)).toBe(before);
    expect(await second.metric('touchline_task_failures_total')).toBe(0);
  },
);

test('of two processors with one name the first ends, and names the setting', async () => {
  const { start } = await started('same');
  const settings = { GROUP_INSTANCE_ID: 'same' };
  const first = start(settings);
  await first.ready();
  const second = start(settings);
  await untilTrue('the first ends', () => first.exited);
  expect(await first.stop()).toBe(1);
  expect(first.log).toContain('FENCED_INSTANCE_ID');
  expect(first.log).toContain('each needs a GROUP_INSTANCE_ID of its own');
  await second.ready();
});
