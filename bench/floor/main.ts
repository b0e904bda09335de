/**
 * The floor of a match processor: its requests without its work. Each partition has a loop: fetch, one transaction with
 * as many records and partitions, and the next fetch at the same time. A separate process, like the contenders.
 */

import { Connection } from '@platformatic/kafka';
import { topicIds } from '#cluster/logs.ts';
import { fetchPartition } from '#streams/client/platformatic/fetch.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import type { BatchRecord, ConsumedRecord } from '#streams/client/port.ts';
import { openTransactions, type Way } from './transactions.ts';

/** Options, as JSON in the first argument. */
export type FloorOptions = {
  /** Address of the only broker. */
  readonly broker: string;
  readonly application: string;
  /** Input topic; it and all output topics have `partitions` partitions. */
  readonly input: string;
  readonly partitions: number;
  readonly incidents: string;
  /** Topic that gets copies of the input's records. */
  readonly states: string;
  readonly transitions: string;
  readonly positions: string;
  readonly way: Way;
};

const MAX_WAIT_MS = 500;
const MAX_BYTES = 1024 * 1024;
/** Sizes of an incident and of a transition, bytes. */
const SIZES = { incident: 700, transition: 300 };

const options: FloorOptions = JSON.parse(process.argv[2] ?? '{}');
const topicId = (await topicIds([options.broker], [options.input])).get(options.input) ?? '';
for (let partition = 0; partition < options.partitions; partition++) void run(partition);
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
process.on('SIGTERM', () => process.exit());

async function run(partition: number): Promise<void> {
  const { application, way } = options;
  const fetching = await connect();
  const transact = await openTransactions(await connect(), `${application}-${partition}`, way);
  let offset = 0;
  const fetch = () =>
    retryTransient(() =>
      fetchPartition(fetching, {
        topicId,
        partition,
        offset,
        maxWaitMs: MAX_WAIT_MS,
        maxBytes: MAX_BYTES,
      }),
    );
  for (let ahead = fetch(); ; ) {
    const { records, next } = await ahead;
    offset = next;
    ahead = fetch();
    if (records.length > 0) await transact(outputs(partition, records, next));
  }
}

/**
 * Returns as many records as a match processor writes for most messages: an incident, the state, a transition, and the
 * position.
 */
function outputs(partition: number, records: readonly ConsumedRecord[], next: number): BatchRecord[] {
  const { incidents, states, transitions, positions } = options;
  const position = Buffer.from(JSON.stringify({ layout: 1, topic_id: topicId, producer_id: '0', next }));
  return [
    ...records.flatMap(({ key, value }) => [
      { topic: incidents, partition, key, value: value?.subarray(0, SIZES.incident) ?? null },
      { topic: states, partition, key, value },
      { topic: transitions, partition, key, value: value?.subarray(0, SIZES.transition) ?? null },
    ]),
    { topic: positions, partition, key: String(partition), value: position },
  ];
}

async function connect(): Promise<Connection> {
  const colon = options.broker.lastIndexOf(':');
  const connection = new Connection('bench-floor');
  connection.on('error', (error) => {
    throw error;
  });
  await connection.connect(options.broker.slice(0, colon), Number(options.broker.slice(colon + 1)));
  return connection;
}
