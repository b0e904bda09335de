import { join } from 'node:path';
import { TOPICS, topicName } from '#topics/topics.ts';
import { type Contender, createPositions } from './contenders.ts';
import type { RecordedFloorOptions } from './floor/recorded.ts';
import { start, together } from './processes.ts';
import { positionProgress } from './progress.ts';

/** Output topics of a match processor; the few results of matches are left out. */
const OUTPUTS = ['match-incidents', 'match-state', 'match-transitions'] as const;
/** Maximum bytes of a fetch of one of eight partitions (libs/streams/runtime/claim.ts). */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Returns the floor of throughput: this number of processes read the backlog and write the recorded output of the match
 * processor into other topics. Start it after a run of `OURS` on the same prefix.
 */
export function recordedFloor(processes: number): Contender {
  const name = 'floor';
  return {
    name,
    on(prefix, run) {
      const outputPrefix = `${prefix}peer-floor-${run}.`;
      const application = `${outputPrefix}floor`;
      const positions = `${application}-positions`;
      const { partitions } = TOPICS['normalized-messages'];
      return {
        name,
        prefix,
        group: application,
        outputPrefix,
        async start({ brokers, dir }) {
          await createPositions(brokers, positions, partitions);
          return together(
            Array.from({ length: processes }, (_, at) => {
              const options: RecordedFloorOptions = {
                brokers,
                application,
                input: topicName(prefix, 'normalized-messages'),
                partitions: Array.from({ length: partitions }, (_, n) => n).filter(
                  (n) => n % processes === at,
                ),
                outputs: OUTPUTS.map((topic) => ({
                  recorded: topicName(prefix, topic),
                  topic: topicName(outputPrefix, topic),
                })),
                positions,
                maxBytes: MAX_BYTES,
              };
              return start({
                command: process.execPath,
                args: [join(import.meta.dirname, 'floor/recorded.ts'), JSON.stringify(options)],
                outputFile: join(dir, `${application}-${at}.log`),
              });
            }),
          );
        },
        progress: async ({ brokers }) => positionProgress(brokers, application),
      };
    },
  };
}
