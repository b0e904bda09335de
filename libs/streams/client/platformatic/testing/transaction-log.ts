/** Logs with transactions of several producers, and what a reader of committed records sees of them. */
import fc from 'fast-check';
import { batchBytes, marker, type WrittenRecord } from '../../../../../test/support/batches.ts';

export const NOW = 1_795_000_000_000;
/** Beyond 32 bits, as offsets of a long-lived topic are. */
export const START = 2 ** 33 - 5;
const PRODUCERS = [1, 2, 3, 4];

export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

const producer = fc.constantFrom(...PRODUCERS);
const writes = fc.record({
  kind: fc.constant('write' as const),
  producer,
  isTransactional: fc.boolean(),
  // False for records removed by compaction: a batch may lose all of them.
  retained: fc.array(
    fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
    { minLength: 1, maxLength: 5 },
  ),
  compression: fc.constantFrom<Compression[]>('none', 'none', 'gzip', 'snappy', 'lz4', 'zstd'),
});
/** Ends the open transaction of a producer, if it has one. */
const how = fc.constantFrom('commit', 'abort');
const ends = fc.record({ kind: fc.constant('end' as const), producer, how });
/** The next action of a producer. */
export const step = fc.oneof({ weight: 3, arbitrary: writes }, { weight: 2, arbitrary: ends });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Batch = { readonly last: number; readonly bytes: Buffer; visible: WrittenRecord[] };
type Aborted = { readonly producerId: bigint; readonly firstOffset: number; readonly last: number };

/** A log, with the records of each batch that a reader may see. */
export type TransactionLog = { readonly batches: readonly Batch[]; readonly aborted: readonly Aborted[] };

/** Writes the log of these steps; it knows how each transaction ends. */
export function write(steps: readonly Step[]): TransactionLog {
  const ends: Step[] = PRODUCERS.map((producer) => ({ kind: 'end', producer, how: 'abort' }));
  const batches: Batch[] = [];
  const aborted: Aborted[] = [];
  const open = new Map<number, { first: number; batches: Batch[] }>();
  let offset = START;
  for (const step of [...steps, ...ends]) {
    const own = open.get(step.producer);
    const first = offset;
    if (step.kind === 'end') {
      if (own === undefined) continue;
      if (step.how === 'abort') {
        for (const batch of own.batches) batch.visible = [];
        aborted.push({ producerId: BigInt(step.producer), firstOffset: own.first, last: first });
      }
      open.delete(step.producer);
      batches.push({ last: first, bytes: marker(first, step.producer, step.how), visible: [] });
      offset += 1;
      continue;
    }
    const last = first + step.retained.length - 1;
    const records = step.retained.flatMap((isRetained, n) => (isRetained ? recordAt(first + n) : []));
    // A producer with an open transaction writes nothing outside of it.
    const isTransactional = step.isTransactional || own !== undefined;
    const { compression, producer: producerId } = step;
    const bytes = batchBytes({ first, last, records, producerId, isTransactional, compression });
    const batch = { last, bytes, visible: records };
    if (isTransactional)
      open.set(step.producer, { first: own?.first ?? first, batches: [...(own?.batches ?? []), batch] });
    batches.push(batch);
    offset = last + 1;
  }
  return { batches, aborted };
}

/** Returns the record that tests write at an offset. */
export function recordAt(offset: number): WrittenRecord {
  const n = offset - START;
  return {
    offset,
    key: n % 7 === 0 ? null : Buffer.from(`key-${n}`),
    value: n % 5 === 0 ? null : Buffer.from(`value-${n}-`.repeat(n % 40)),
    // May be earlier than the record before it.
    timestamp: NOW + ((n * 7_919) % 100_003) - 50_000,
  };
}

/** Returns a broker's response to a fetch: whole batches from the one that contains the offset. */
export function fetched(log: TransactionLog, from: number, shuffle: number) {
  const batches = log.batches.filter(({ last }) => last >= from);
  const aborted = log.aborted.filter(({ last }) => last >= from);
  const bytes = Buffer.concat(batches.map((one) => one.bytes));
  return { batches, bytes, aborted: rotated(aborted, shuffle) };
}

function rotated<T>(of: readonly T[], by: number): T[] {
  const at = of.length === 0 ? 0 : by % of.length;
  return [...of.slice(at), ...of.slice(0, at)];
}
