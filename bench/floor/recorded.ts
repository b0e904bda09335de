/**
 * The floor of throughput: reads the input of a match processor by the same requests, and writes the recorded output of
 * an earlier run in transactions of the same size, without any work. A separate process, like the contenders.
 */

import { openStreamClient } from '#streams/client/client.ts';
import type { OutputRecord } from '#streams/client/port.ts';
import { readRange } from '#streams/read/read-range.ts';
import { positionRecord } from '#streams/runtime/positions.ts';

/** Options, as JSON in the first argument. */
export type RecordedFloorOptions = {
  readonly brokers: readonly string[];
  readonly application: string;
  readonly input: string;
  /** Partitions of this process. */
  readonly partitions: readonly number[];
  /** Recorded topics of a match processor, and the topics to write them to; both are partitioned like the input. */
  readonly outputs: readonly { readonly recorded: string; readonly topic: string }[];
  /** The topic of positions. */
  readonly positions: string;
  /** Maximum bytes of a fetch, as in a match processor. */
  readonly maxBytes: number;
};

const RECORDED_BYTES = 4 * 1024 * 1024;

const { brokers, application, input, partitions, outputs, positions, maxBytes }: RecordedFloorOptions =
  JSON.parse(process.argv[2] ?? '{}');
const client = openStreamClient({ brokers, clientId: application });
// Loads all records before any task begins.
const tasks = await Promise.all(
  partitions.map(async (partition) => ({ partition, ...(await load(partition)) })),
);
for (const task of tasks) void run(task);
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
process.on('SIGTERM', () => process.exit());

type Recorded = {
  /** End of the input. */
  readonly end: number;
  /** Records of each output, in order. */
  readonly records: readonly (readonly OutputRecord[])[];
};

async function load(partition: number): Promise<Recorded> {
  const [bounds] = await client.logBounds([{ topic: input, partition }]);
  const records = await Promise.all(outputs.map(({ recorded, topic }) => read(recorded, topic, partition)));
  return { end: bounds?.end ?? 0, records };
}

async function read(recorded: string, topic: string, partition: number): Promise<OutputRecord[]> {
  const [bounds = { start: 0, end: 0 }] = await client.logBounds([{ topic: recorded, partition }]);
  const all: OutputRecord[] = [];
  const range = { topic: recorded, partition, ...bounds, maxBytes: RECORDED_BYTES };
  for await (const { records } of readRange(client, range))
    for (const { key, value } of records) all.push({ topic, partition, key: key ?? '', value });
  return all;
}

async function run({ partition, end, records: recorded }: Recorded & { partition: number }): Promise<void> {
  const producer = await client.openProducer({
    transactionalId: `${application}-${partition}`,
    own: [...outputs.map(({ topic }) => topic), positions].map((topic) => ({ topic, partition })),
    shared: [],
    lastCommitted: async () => null,
  });
  const reader = client.openReader({ topic: input, partition, maxBytes });
  const topicId = await reader.topicId();
  const written = outputs.map(() => 0);
  for (let ahead = reader.read(0); ; ) {
    const { records, next } = await ahead;
    ahead = reader.read(next);
    if (records.length === 0) continue;
    const share = recorded.flatMap((all, at) => {
      const from = written[at] ?? 0;
      written[at] = Math.floor((all.length * next) / end);
      return all.slice(from, written[at]);
    });
    const position = { next, topicId, inputEpoch: null, logs: {}, producer: producer.identity };
    await producer.transact([...share, positionRecord(positions, partition, position)]);
  }
}
