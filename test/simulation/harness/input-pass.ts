/** Passes over the committed input, for the checks. */
import type { FetchedRecord } from '#streams/client/port.ts';
import type { PartitionLog } from '../broker/partition-log.ts';
import { outputOf } from './counting.ts';

/** Returns the outputs and counts of a pass over committed input from one position to the next. */
export function pass(
  records: readonly FetchedRecord[],
  { next: from, counts: before }: { readonly next: number; readonly counts: ReadonlyMap<string, number> },
  to: number,
): { readonly lines: string[]; readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const lines: string[] = [];
  for (const { offset, key, value } of records) {
    if (offset < from || offset >= to) continue;
    const name = String(key);
    const count = (counts.get(name) ?? before.get(name) ?? 0) + 1;
    counts.set(name, count);
    lines.push(outputOf(String(value), count));
  }
  return { lines, counts };
}

/** Returns the committed records of a log from an offset on. */
export function readFrom(log: PartitionLog, from: number): readonly FetchedRecord[] {
  return log.read(Math.max(from, log.start), Number.POSITIVE_INFINITY).records;
}

/** Returns removed records and the current records after them. */
export function merged(
  removed: readonly FetchedRecord[],
  current: readonly FetchedRecord[],
): readonly FetchedRecord[] {
  const last = removed.at(-1)?.offset ?? -1;
  return [...removed, ...current.filter(({ offset }) => offset > last)];
}

export function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
