/** What a member says that it owns when it joins. */
export type Claim = {
  readonly partitions: readonly number[];
  /** The generation of the group in which it was assigned them; -1 without one. */
  readonly generation: number;
};

/**
 * Shares partitions among members: shares differ by one at most, and a member keeps the partitions it owned up to its
 * share, so that little state has to be restored. Members of the latest generation keep theirs first, also of the shares
 * that are larger by one: a member that was out of the group claims what others own by now, or what nobody owns.
 * Deterministic in its inputs, whatever their order.
 */
export function assignPartitions(
  partitions: readonly number[],
  claims: ReadonlyMap<string, Claim>,
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

/** The latest generation first, and by name within one. */
function latestFirst(claims: ReadonlyMap<string, Claim>): [member: string, claim: Claim][] {
  return [...claims].sort(([a, one], [b, other]) => other.generation - one.generation || (a < b ? -1 : 1));
}
