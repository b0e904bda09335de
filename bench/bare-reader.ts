/**
 * The peer of a restore: reads topics to their current ends by the requests and the decoding of the runtime, all
 * partitions at once, and does nothing with the records. A separate process, as cold as a restoring processor; it
 * prints its result as JSON.
 */
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { fetchPartition } from '#streams/client/platformatic/fetch.ts';

/** Options, as JSON in the first argument. */
export type BareReaderOptions = { readonly brokers: readonly string[]; readonly topics: readonly string[] };

/** The printed result. */
export type BareReaderResult = { readonly records: number; readonly seconds: number };

const CLIENT_ID = 'bench-bare-reader';
const MAX_WAIT_MS = 500;
const MAX_BYTES = 1024 * 1024;

const { brokers, topics }: BareReaderOptions = JSON.parse(process.argv[2] ?? '{}');
const ids = await topicIds(brokers, topics);
const reads: (() => Promise<number>)[] = [];
for (const topic of topics) {
  const topicId = ids.get(topic) ?? '';
  for (const { partition, end } of await topicBounds({ brokers, clientId: CLIENT_ID }, [topic])) {
    // One connection for each partition: a broker answers the requests of a connection in order.
    const leader = await new BrokerConnections(brokers, CLIENT_ID).leader({ topic, partition });
    reads.push(async () => {
      let count = 0;
      for (let offset = 0; offset < end; ) {
        const { records, next } = await fetchPartition(leader, {
          topicId,
          partition,
          offset,
          maxWaitMs: MAX_WAIT_MS,
          maxBytes: MAX_BYTES,
        });
        count += records.length;
        offset = next;
      }
      return count;
    });
  }
}
const started = performance.now();
const counts = await Promise.all(reads.map((read) => read()));
const seconds = (performance.now() - started) / 1_000;
const result: BareReaderResult = { records: counts.reduce((sum, count) => sum + count, 0), seconds };
console.log(JSON.stringify(result));
process.exit();
