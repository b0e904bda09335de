import { writeBacklog } from './backlog.ts';
import { OURS, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, format } from './context.ts';
import { remove } from './kafka.ts';

const BASE_EVENTS = Number(process.env.BENCH_EVENTS ?? 250);
const MESSAGES = 200;
const FACTORS = [1, 2, 4, 8];

/** The same work on backlogs of one, two, four and eight times the size: the time a message takes must not grow with it. */
export const bench: Bench = {
  about: `time of a message with 1, 2, 4 and 8 times ${BASE_EVENTS * MESSAGES} incidents`,
  async run(context) {
    const perMessage: number[] = [];
    for (const factor of [1, ...FACTORS]) {
      const prefix = context.prefix(`${factor}x`);
      const job = OURS.on(prefix, 0);
      const backlog = await writeBacklog(context, {
        prefix,
        events: BASE_EVENTS * factor,
        messages: MESSAGES,
      });
      await prepare(context, job);
      const run = await runThrough(context, job, backlog.records);
      await remove(context.brokers, prefix, [job.group]);
      perMessage.push(1e6 / rate(run));
      const kind = perMessage.length === 1 ? 'warm-up' : `${factor}×`;
      context.print(
        `${kind}: ${backlog.records} messages in ${(run.endAt - run.first.at).toFixed(2)} s, ` +
          `${format(rate(run))} msg/s, ${format(perMessage.at(-1) ?? 0)} µs each`,
      );
    }
    const [, once = Number.NaN, ...more] = perMessage;
    more.forEach((value, index) => {
      context.figure({
        name: `time a message at ${FACTORS[index + 1]}×`,
        ours: value,
        beside: { name: 'at 1×', value: once },
        unit: 'µs',
        better: 'less',
      });
    });
  },
};
