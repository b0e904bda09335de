import { fileURLToPath } from 'node:url';
import type { TopicCluster } from '#topics/read-values.ts';
import { openCluster } from '../cli/cluster.ts';
import { replayInto } from '../cli/commands/replay/replay.ts';
import { writeBacklog } from './backlog.ts';
import { OURS, rate, runOn } from './contenders.ts';
import { type Bench, format } from './context.ts';
import { remove } from './kafka.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';

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
  async run(context) {
    const prefix = context.prefix('live');
    const target = context.prefix('replayed');
    const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
    const source: TopicCluster = {
      brokers: context.brokers,
      registryUrl: context.registryUrl,
      prefix,
    };
    const processor = {
      name: 'match-processor',
      perSecond: async (round: number) => rate(await runOn(context, OURS.on(prefix, round), backlog.records)),
    };
    const replay = {
      name: 'replay',
      async perSecond() {
        const { records, seconds } = await replayInto({
          source,
          target: openCluster({ ...source, prefix: target }),
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
        return records / seconds;
      },
    };
    const turns = await Turns.take(context, {
      rounds: ROUNDS,
      subjects: [processor, replay],
      measure: ({ perSecond }, round) => perSecond(round),
      describe: (perSecond) => `${format(perSecond)} msg/s`,
    });
    const name = 'from first record to last';
    turns.compare(replay, processor, { name, unit: 'msg/s', target: 0.7, of: (perSecond) => perSecond });
    await remove(context.brokers, target, []);
    await remove(context.brokers, prefix, [OURS.on(prefix, 0).group]);
  },
};
