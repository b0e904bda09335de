/** The number of copies of topics, by the size of the cluster. */

/** The number of copies of each partition, and how many must have a record before it is acknowledged. */
export type Replication = { readonly replicas: number; readonly minInSync: number };

/** The requested replication; undefined fields follow from the size of the cluster. */
export type WantedReplication = {
  readonly replicationFactor?: number | undefined;
  readonly minInSync?: number | undefined;
};

/** Number of copies that survive the loss of one broker while another is down. */
const SAFE_REPLICAS = 3;
const SAFE_IN_SYNC = 2;

/**
 * Returns one copy for one broker, two for two, three for more. With three copies, two must have a record: then the loss of
 * a broker neither loses acknowledged records nor stops writing.
 */
export function replicationFor(brokers: number, wanted: WantedReplication): Replication {
  const replicas = wanted.replicationFactor ?? Math.min(Math.max(brokers, 1), SAFE_REPLICAS);
  const minInSync = wanted.minInSync ?? (replicas >= SAFE_REPLICAS ? SAFE_IN_SYNC : 1);
  return { replicas, minInSync };
}

/** Returns a warning for each risk of a replication on a cluster; on one broker only for one that prevents writing. */
export function replicationWarnings(brokers: number, { replicas, minInSync }: Replication): string[] {
  if (minInSync > replicas)
    return [`${minInSync} copies must have a record, but topics have ${replicas}: nothing can be written`];
  if (brokers < 2) return [];
  const warnings: string[] = [];
  if (replicas < Math.min(brokers, SAFE_REPLICAS))
    warnings.push(
      replicas === 1
        ? `topics have one copy on ${brokers} brokers: a lost broker stops its partitions, and a lost disk loses them`
        : `topics have ${replicas} copies on ${brokers} brokers: ${SAFE_REPLICAS} survive the loss of one while another is down`,
    );
  if (minInSync === replicas && replicas > 1)
    warnings.push(`all ${replicas} copies must have a record: writing stops while any broker is down`);
  if (minInSync < SAFE_IN_SYNC && replicas > 1)
    warnings.push('a record is acknowledged with one copy: it is lost with that broker');
  return warnings;
}
