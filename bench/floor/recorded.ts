/**
 * The floor of throughput: reads what a match processor reads by the requests that it makes, and writes, in transactions
 * of its size, the bytes that one has written before. It does no work. A process of its own, as the contenders are.
 */

import { openStreamClient } from '#streams/client/client.ts';
import type { OutputRecord } from '#streams/client/port.ts';
import { readRange } from '#streams/read/read-range.ts';
import { positionRecord } from '#streams/runtime/positions.ts';
import { silent } from '../kafka.ts';

/** What is asked of it, as JSON in the first argument. */
export type RecordedFloorOptions = {
  readonly brokers: readonly string[];
  readonly application: string;
  readonly input: string;
  /** Those that this process works off. */
  readonly partitions: readonly number[];
  /** What a match processor wrote, and where it is written again; both are partitioned as the input. */
  readonly outputs: readonly { readonly recorded: string; readonly topic: string }[];
  /** The topic of positions. */
  readonly positions: string;
  /** As many bytes of the input as a match processor takes at once. */
  readonly maxBytes: number;
};

const RECORDED_BYTES = 4 * 1024 * 1024;

const { brokers, application, input, partitions, outputs, positions, maxBytes }: RecordedFloorOptions =
  JSON.parse(process.argv[2] ?? '{}');
const client = openStreamClient({ brokers, clientId: application, log: silent });
// All of it is there before any of them begins.
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
  /** Of each output, in order. */
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
