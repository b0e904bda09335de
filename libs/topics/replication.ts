/** How many copies topics have, by the size of the cluster. */

/** Copies of each partition, and how many of them must have a record before it counts as written. */
export type Replication = { readonly replicas: number; readonly minInSync: number };

/** What is asked for; undefined is by the size of the cluster. */
export type WantedReplication = {
  readonly replicationFactor?: number | undefined;
  readonly minInSync?: number | undefined;
};

/** From this many copies on a broker may be lost and another one be away. */
const SAFE_REPLICAS = 3;
const SAFE_IN_SYNC = 2;

/**
 * One copy on one broker, two on two, three on more. From three copies on two must have a record: then a lost broker neither
 * loses what was acknowledged nor stops writing.
 */
export function replicationFor(brokers: number, wanted: WantedReplication): Replication {
  const replicas = wanted.replicationFactor ?? Math.min(Math.max(brokers, 1), SAFE_REPLICAS);
  const minInSync = wanted.minInSync ?? (replicas >= SAFE_REPLICAS ? SAFE_IN_SYNC : 1);
  return { replicas, minInSync };
}

/** What is unsafe about it on a cluster of that size, a line each. One broker has nothing to choose. */
export function replicationWarnings(brokers: number, { replicas, minInSync }: Replication): string[] {
  if (minInSync > replicas)
    return [`${minInSync} copies must have a record, and topics have ${replicas}: nothing can be written`];
  if (brokers < 2) return [];
  const warnings: string[] = [];
  if (replicas < Math.min(brokers, SAFE_REPLICAS))
    warnings.push(
      replicas === 1
        ? `topics have one copy on ${brokers} brokers: a lost broker stops its partitions, and a lost disk loses them`
        : `topics have ${replicas} copies on ${brokers} brokers: ${SAFE_REPLICAS} survive the loss of one while another is away`,
    );
  if (minInSync === replicas && replicas > 1)
    warnings.push(`all ${replicas} copies must have a record: writing stops while any broker is away`);
  if (minInSync < SAFE_IN_SYNC && replicas > 1)
    warnings.push('one copy is enough for a record to count as written: it is lost with that broker');
  return warnings;
}
