/**
 * The peer of building views: reads the same records by the same client to the current ends of the topics, and writes
 * as many rows of the same bytes into SQLite, in transactions of the same size. It decodes nothing, looks nothing up
 * and has no index. A separate process, as cold as a starting api; it prints its result as JSON.
 */
import { DatabaseSync } from 'node:sqlite';
import { topicBounds } from '#cluster/logs.ts';
import { follow } from '#streams/read/follow.ts';

/** Number of rows of a table, and their total size in bytes. */
export type TableSize = { readonly name: string; readonly rows: number; readonly bytes: number };

/** Options, as JSON in the first argument. */
export type BareViewsOptions = {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  /** Path of the SQLite file. */
  readonly path: string;
  readonly tables: readonly TableSize[];
  /** Minimum number of records in a transaction; batches are not split. */
  readonly step: number;
};

/** The printed result. */
export type BareViewsResult = {
  readonly records: number;
  readonly rows: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
};

const CLIENT_ID = 'bench-bare-views';

const { brokers, topics, path, tables, step }: BareViewsOptions = JSON.parse(process.argv[2] ?? '{}');
const database = new DatabaseSync(path);
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
const bounds = await topicBounds({ brokers, clientId: CLIENT_ID }, topics);
const expected = bounds.reduce((sum, { start, end }) => sum + Number(end) - Number(start), 0);
const writers = tables.map(({ name, rows, bytes }) => {
  database.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, value BLOB NOT NULL)`);
  const insert = database.prepare(`INSERT INTO ${name} (value) VALUES (?)`);
  return { insert, rows, value: Buffer.alloc(rows === 0 ? 0 : Math.round(bytes / rows), 'x'), written: 0 };
});
let records = 0;
let open = 0;
/** Writes the rows for the records read so far. */
const write = (share: number): void => {
  database.exec('BEGIN');
  for (const writer of writers) {
    const due = Math.round(writer.rows * share);
    for (; writer.written < due; writer.written++) writer.insert.run(writer.value);
  }
  database.exec('COMMIT');
};
await follow({
  brokers,
  reader: CLIENT_ID,
  topics,
  untilEnd: true,
  onBatch(batch) {
    records += batch.records.length;
    open += batch.records.length;
    if (open < step) return;
    write(records / expected);
    open = 0;
  },
  onCaughtUp() {
    write(1);
  },
});
database.close();
const { user, system } = process.cpuUsage();
const result: BareViewsResult = {
  records,
  rows: writers.reduce((sum, { written }) => sum + written, 0),
  cpuSeconds: (user + system) / 1e6,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(result));
process.exit();
