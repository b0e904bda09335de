import { writeFixtures } from './backlog.ts';
import { OURS, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, format } from './context.ts';
import { remove } from './kafka.ts';

const COUNTS = (process.env.BENCH_FIXTURES ?? '10000,50000,100000').split(',').map(Number);
const LIMIT_MIB = 300;

/**
 * What a match processor has in memory once it has worked off scheduled matches, all received within a minute, so that
 * none of them is idle by time: all 8 partitions in one process.
 */
export const bench: Bench = {
  about: `memory of a match processor after ${COUNTS.map(format).join(', ')} scheduled matches, beside the limit`,
  async run(context) {
    for (const count of COUNTS) {
      const prefix = context.prefix(String(count));
      const { records } = await writeFixtures(context, prefix, count);
      const job = OURS.on(prefix, 0);
      await prepare(context, job);
      const run = await runThrough(context, job, records);
      const { now, peak } = run.residentMiB;
      context.print(
        `${format(count)} matches in ${(run.endAt - run.first.at).toFixed(2)} s, ${format(rate(run))} msg/s, ` +
          `${run.cpuSeconds.toFixed(1)} s of processor; ${format(now)} MiB resident, ${format(peak)} at most`,
      );
      context.figure({
        name: `${format(count)} scheduled matches`,
        ours: now,
        beside: { name: 'limit', value: LIMIT_MIB },
        unit: 'MiB',
        better: 'less',
        target: 1,
      });
      await remove(context.brokers, prefix, [job.group]);
    }
  },
};
