import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';

export function partitionFolder(dataDir: string, of: TopicPartition): string {
  const name = partitionKey(of);
  const found = readdirSync(dataDir, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isDirectory() && entry.name === name,
  );
  if (found === undefined) throw new Error(`no folder of ${name}`);
  return join(found.parentPath, name);
}

/** Removes the last record batches of a partition, markers included, as a crash of the machine does. The broker must not run. */
export function cutLog(dataDir: string, of: TopicPartition, batches: number): void {
  const file = join(partitionFolder(dataDir, of), '00000000000000000000.log');
  const bytes = readFileSync(file);
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8)) starts.push(at);
  truncateSync(file, starts.at(-batches) ?? 0);
}
