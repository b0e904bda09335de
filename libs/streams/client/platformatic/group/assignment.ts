/** The partitions that a joining member claims to own. */
export type OwnershipClaim = {
  readonly partitions: readonly number[];
  /** Generation of the group that assigned the partitions; -1 without one. */
  readonly generation: number;
};

/**
 * Assigns partitions by member name: shares differ by at most one. A member keeps what it owned up to its share; those of the
 * latest generation choose first. Does not depend on the order of the inputs.
 */
export function assignPartitions(
  partitions: readonly number[],
  claims: ReadonlyMap<string, OwnershipClaim>,
): Map<string, number[]> {
  const free = new Set([...partitions].sort((a, b) => a - b));
  const floor = Math.floor(partitions.length / claims.size);
  let larger = partitions.length % claims.size;
  const shares = new Map<string, number[]>();
  for (const [member, claim] of latestFirst(claims)) {
    const share: number[] = [];
    shares.set(member, share);
    for (const partition of claim.partitions) {
      const full = share.length >= floor + (larger > 0 ? 1 : 0);
      if (full || !free.delete(partition)) continue;
      share.push(partition);
      if (share.length > floor) larger -= 1;
    }
  }
  for (const partition of free) {
    const least = [...shares.values()].reduce((a, b) => (b.length < a.length ? b : a));
    least.push(partition);
  }
  for (const share of shares.values()) share.sort((a, b) => a - b);
  return shares;
}

/** Sorts claims by generation, latest first, and by member name within a generation. */
function latestFirst(claims: ReadonlyMap<string, OwnershipClaim>): [member: string, claim: OwnershipClaim][] {
  return [...claims].sort(([a, one], [b, other]) => other.generation - one.generation || (a < b ? -1 : 1));
}
