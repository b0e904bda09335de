import { setTimeout as delay } from 'node:timers/promises';
import { writeFixtures } from './backlog.ts';
import { describeRun, OURS, runOn } from './contenders.ts';
import { type Bench, format } from './context.ts';
import { remove } from './kafka.ts';
import { sizeOf, sizesOf } from './size.ts';

const COUNTS = sizesOf('BENCH_FIXTURES', [10_000, 50_000, 100_000], [100]);
const LIMIT_MIB = 300;
/** Time until the processor is idle. */
const CALM_MS = sizeOf(null, 35_000, 100);

/**
 * Measures the memory of a match processor with scheduled matches, all received within a minute, so that none is
 * spilled by its age: all 8 partitions in one process.
 */
export const bench: Bench = {
  about: `memory of a match processor after ${COUNTS.map(format).join(', ')} scheduled matches, beside the limit`,
  async run(context) {
    for (const count of COUNTS) {
      const prefix = context.prefix(String(count));
      const { records } = await writeFixtures(context, prefix, count);
      const job = OURS.on(prefix, 0);
      let calm = Number.NaN;
      const run = await runOn(context, job, records, async (running) => {
        await delay(CALM_MS);
        calm = (await running.residentMiB()).now;
      });
      const { now, peak } = run.residentMiB;
      context.print(
        `${format(count)} matches: ${describeRun(run)}; ${format(now)} MiB resident, ${format(peak)} at most, ` +
          `${format(calm)} once there is nothing to do`,
      );
      context.figure({
        name: `${format(count)} scheduled matches`,
        ours: calm,
        beside: { name: 'limit', value: LIMIT_MIB },
        unit: 'MiB',
        better: 'less',
        target: 1,
      });
      await remove(context.brokers, prefix, [job.group]);
    }
  },
};
