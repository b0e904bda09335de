/** What a member says that it owns when it joins. */
export type Claim = {
  readonly partitions: readonly number[];
  /** The generation of the group in which it was assigned them; -1 without one. */
  readonly generation: number;
};

/**
 * Shares partitions among members: shares differ by one at most, and a member keeps the partitions it owned up to its
 * share, so that little state has to be restored. Of several members that claim a partition the one with the latest
 * generation owns it: a member that was out of the group claims what others own by now. Deterministic in its inputs,
 * whatever their order.
 */
export function assignPartitions(
  partitions: readonly number[],
  claims: ReadonlyMap<string, Claim>,
): Map<string, number[]> {
  const members = [...claims.keys()].sort();
  const free = new Set([...partitions].sort((a, b) => a - b));
  const floor = Math.floor(partitions.length / members.length);
  let larger = partitions.length % members.length;
  const shares = new Map<string, number[]>(members.map((member) => [member, []]));
  for (const [member, owned] of ownedBy(members, claims)) {
    const share = shares.get(member) ?? [];
    for (const partition of owned) {
      const full = share.length >= floor + (larger > 0 ? 1 : 0);
      if (full || !free.delete(partition)) continue;
      share.push(partition);
      if (share.length > floor) larger -= 1;
    }
  }
  for (const [, share] of shares) {
    for (const partition of free) {
      if (share.length >= floor) break;
      share.push(partition);
      free.delete(partition);
    }
  }
  for (const partition of free) {
    const least = [...shares.values()].reduce((a, b) => (b.length < a.length ? b : a));
    least.push(partition);
  }
  for (const share of shares.values()) share.sort((a, b) => a - b);
  return shares;
}

/** The claimed partitions of each member that no other one claims in a later generation. */
function ownedBy(
  members: readonly string[],
  claims: ReadonlyMap<string, Claim>,
): (readonly [member: string, partitions: readonly number[]])[] {
  const owners = new Map<number, { readonly member: string; readonly generation: number }>();
  for (const member of members) {
    const { partitions, generation } = claims.get(member) ?? { partitions: [], generation: -1 };
    for (const partition of partitions) {
      const other = owners.get(partition);
      if (other === undefined || other.generation < generation) owners.set(partition, { member, generation });
    }
  }
  return members.map((member) => {
    const claimed = claims.get(member)?.partitions ?? [];
    return [member, claimed.filter((partition) => owners.get(partition)?.member === member)];
  });
}
