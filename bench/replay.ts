import { fileURLToPath } from 'node:url';
import type { TopicCluster } from '#topics/read-values.ts';
import { openCluster } from '../cli/cluster.ts';
import { replayInto } from '../cli/commands/replay/replay.ts';
import { writeBacklog } from './backlog.ts';
import { OURS, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, format, median, PROCESSOR } from './context.ts';
import { remove } from './kafka.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const RULES = fileURLToPath(new URL('../data/rules/', import.meta.url));

/**
 * In turns, a match processor processes a backlog, and a replay of the same backlog derives states and tables under
 * another prefix. Both count from their first records to the last acknowledged ones. The first round warms the broker.
 */
export const bench: Bench = {
  about: `records a second of a replay of ${EVENTS * MESSAGES} incidents, beside one match processor on the same backlog`,
  subject: [...PROCESSOR, 'cli/commands/replay'],
  async run(context) {
    const prefix = context.prefix('live');
    const target = context.prefix('replayed');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const place: TopicCluster = {
      brokers: context.brokers,
      registryUrl: context.registryUrl,
      prefix,
    };
    const rates = { processor: [] as number[], replay: [] as number[] };
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      const job = OURS.on(prefix, round);
      await prepare(context, job);
      const processor = rate(await runThrough(context, job, backlog.records));
      const { records, seconds } = await replayInto({
        source: place,
        target: openCluster({ ...place, prefix: target }),
        topic: 'normalized-messages',
        from: null,
        to: null,
        gaps: null,
        replace: true,
        yes: true,
        forSwitch: false,
        rulesDir: RULES,
        partitions: undefined,
        signal: new AbortController().signal,
        onProgress: () => {},
      });
      const replay = records / seconds;
      context.print(
        `${roundName(round)}: processor ${format(processor)} msg/s, replay ${format(replay)} msg/s`,
      );
      if (round === 0) continue;
      rates.processor.push(processor);
      rates.replay.push(replay);
    }
    context.figure({
      name: 'from first record to last',
      ours: median(rates.replay),
      beside: { name: 'match-processor', value: median(rates.processor) },
      unit: 'msg/s',
      target: 0.7,
    });
    await remove(context.brokers, target, []);
    await remove(context.brokers, prefix, [OURS.on(prefix, 0).group]);
  },
};
