/** The floors of a match processor: its requests without its work. */
import { join } from 'node:path';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import type { Contender, Job } from './contenders.ts';
import type { BenchContext } from './context.ts';
import type { FloorOptions } from './floor/main.ts';
import type { RecordedFloorOptions } from './floor/recorded.ts';
import type { Way } from './floor/transactions.ts';
import { startScript, together } from './processes.ts';
import { positionProgress } from './progress.ts';

const NAME = 'floor';
const { partitions: PARTITIONS } = TOPICS['normalized-messages'];
/** Output topics of a match processor; the few results of matches are left out. */
const OUTPUTS = ['match-incidents', 'match-state', 'match-transitions'] as const;
/** Maximum bytes of a fetch of one of eight partitions (libs/streams/runtime/claim.ts). */
const MAX_BYTES = 2 * 1024 * 1024;
/** Timeout of creating a topic on a busy broker. */
const CREATE_MS = 30_000;

/** Returns the floor of latency: a bare loop that copies messages as states. */
export function floor(way: Way): Contender {
  return {
    name: NAME,
    on: (prefix) => {
      const application = prefix + NAME;
      return floorJob(prefix, prefix, application, 'floor/main.ts', ({ brokers }): FloorOptions[] => {
        const [broker] = brokers;
        if (broker === undefined || brokers.length > 1)
          throw new Error('the floor is one of a single broker');
        return [
          {
            broker,
            application,
            way,
            partitions: PARTITIONS,
            input: topicName(prefix, 'normalized-messages'),
            incidents: topicName(prefix, 'match-incidents'),
            states: topicName(prefix, 'match-state'),
            transitions: topicName(prefix, 'match-transitions'),
            positions: `${application}-positions`,
          },
        ];
      });
    },
  };
}

/**
 * Returns the floor of throughput: this number of processes read the backlog and write the recorded output of the match
 * processor into other topics. Start it after a run of `OURS` on the same prefix.
 */
export function recordedFloor(processes: number): Contender {
  return {
    name: NAME,
    on(prefix, run) {
      const outputPrefix = `${prefix}peer-floor-${run}.`;
      const application = outputPrefix + NAME;
      return floorJob(prefix, outputPrefix, application, 'floor/recorded.ts', ({ brokers }) =>
        Array.from(
          { length: processes },
          (_, at): RecordedFloorOptions => ({
            brokers,
            application,
            input: topicName(prefix, 'normalized-messages'),
            partitions: Array.from({ length: PARTITIONS }, (_, n) => n).filter((n) => n % processes === at),
            outputs: OUTPUTS.map((topic) => ({
              recorded: topicName(prefix, topic),
              topic: topicName(outputPrefix, topic),
            })),
            positions: `${application}-positions`,
            maxBytes: MAX_BYTES,
          }),
        ),
      );
    },
  };
}

/** Returns a job of scripts that commit their positions as the runtime does. `optionsOf` returns the options of each process. */
function floorJob(
  prefix: string,
  outputPrefix: string,
  application: string,
  script: string,
  optionsOf: (context: BenchContext) => readonly object[],
): Job {
  return {
    name: NAME,
    prefix,
    group: application,
    outputPrefix,
    async start(context) {
      const name = `${application}-positions`;
      const topic = { name, partitions: PARTITIONS, settings: { 'cleanup.policy': 'compact' } };
      await withTopicAdmin(context.brokers, CREATE_MS, (admin) => admin.createTopics([topic]));
      return together(
        optionsOf(context).map((options, at) =>
          startScript(script, options, join(context.dir, `${application}-${at}.log`)),
        ),
      );
    },
    progress: async ({ brokers }) => positionProgress(brokers, application),
  };
}
