/** The peer of a restore: a process that reads topics to their ends, as cold as a restoring processor, and does nothing with their records. */
import { followLogs } from '#streams/read/follow.ts';

/** Options, as JSON in the first argument. */
export type BareReaderOptions = { readonly brokers: readonly string[]; readonly topics: readonly string[] };

/** Records that were read, and in which time: printed as JSON. */
export type Read = { readonly records: number; readonly seconds: number };

const options: BareReaderOptions = JSON.parse(process.argv[2] ?? '{}');
const startedAt = performance.now();
let records = 0;
await followLogs({
  ...options,
  untilEnd: true,
  onBatch(batch) {
    for (const of of batch) records += of.records.length;
  },
});
const read: Read = { records, seconds: (performance.now() - startedAt) / 1_000 };
console.log(JSON.stringify(read));
