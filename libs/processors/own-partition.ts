import { PoisonError } from '#errors/touchline-error.ts';
import { partitionOfKey } from '#streams/client/port.ts';

/** A partition of the input, and how many there are. */
export type OwnPartition = {
  readonly partition: number;
  /** Default: any record belongs to the partition. */
  readonly partitions?: number | undefined;
};

/** Throws `PoisonError` WRONG_PARTITION for another partition's record: here it would be a second match or table. */
export function requireOwnPartition(key: string, { partition, partitions }: OwnPartition): void {
  if (partitions === undefined) return;
  const owner = partitionOfKey(key, partitions);
  if (owner !== partition)
    throw new PoisonError(
      'WRONG_PARTITION',
      `a record of ${key}, which belongs to partition ${owner} of ${partitions}: its writer uses another partitioner than murmur2 of the key`,
    );
}
