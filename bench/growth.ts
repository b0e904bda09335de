import { type Backlog, writeBacklog } from './backlog.ts';
import { OURS, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, format, median, PROCESSOR } from './context.ts';
import { remove } from './kafka.ts';
import { FIRST_ROUND, roundName, SMALLEST, sizeOf } from './size.ts';

const BASE_EVENTS = sizeOf('BENCH_EVENTS', 250, 10);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const MESSAGES = sizeOf(null, 200, 20);
const FACTORS = SMALLEST ? [1, 2] : [1, 2, 4, 8];

/**
 * Measures the same work on backlogs of one, two, four and eight times the size: the time per message must not grow.
 */
export const bench: Bench = {
  about: `time of a message with 1, 2, 4 and 8 times ${BASE_EVENTS * MESSAGES} incidents`,
  subject: PROCESSOR,
  async run(context) {
    const backlogs: Backlog[] = [];
    for (const factor of FACTORS) {
      const prefix = context.prefix(`${factor}x`);
      backlogs.push(
        await writeBacklog(context, { prefix, events: BASE_EVENTS * factor, messages: MESSAGES }),
      );
    }
    const micros = new Map<Backlog, number[]>(backlogs.map((backlog) => [backlog, []]));
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      for (const [index, backlog] of backlogs.entries()) {
        const job = OURS.on(backlog.prefix, round);
        await prepare(context, job);
        const run = await runThrough(context, job, backlog.records);
        if (round > 0) micros.get(backlog)?.push(1e6 / rate(run));
        context.print(
          `${roundName(round)} ${FACTORS[index]}×: ${backlog.records} messages in ` +
            `${(run.endAt - run.first.at).toFixed(2)} s, ${format(rate(run))} msg/s, ${format(1e6 / rate(run))} µs each`,
        );
      }
    }
    const [once = Number.NaN, ...more] = [...micros.values()].map(median);
    more.forEach((value, index) => {
      context.figure({
        name: `time a message at ${FACTORS[index + 1]}×`,
        ours: value,
        beside: { name: 'at 1×', value: once },
        unit: 'µs',
        better: 'less',
      });
    });
    for (const { prefix } of backlogs) await remove(context.brokers, prefix, [OURS.on(prefix, 0).group]);
  },
};
