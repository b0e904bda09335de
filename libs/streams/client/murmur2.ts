const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/**
 * The hash by which Kafka's own clients choose a partition: murmur2 of the key's bytes without its sign bit, of which
 * the remainder by the number of partitions is taken.
 */
export function partitionHash(key: Buffer): number {
  const { length } = key;
  const tail = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < tail; at += 4) {
    let word = Math.imul(key.readInt32LE(at), M);
    word = Math.imul(word ^ (word >>> 24), M);
    hash = Math.imul(hash, M) ^ word;
  }
  if (tail < length) {
    for (let at = tail; at < length; at++) hash ^= (key[at] as number) << (8 * (at - tail));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
