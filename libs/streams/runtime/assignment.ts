/**
 * Shares partitions among members: shares differ by one at most, and a member keeps the partitions it owned up to its
 * share, so that little state has to be rebuilt. Deterministic in its inputs, whatever their order.
 */
export function assignPartitions(
  partitions: readonly number[],
  claims: ReadonlyMap<string, readonly number[]>,
): Map<string, number[]> {
  const members = [...claims.keys()].sort();
  const free = new Set([...partitions].sort((a, b) => a - b));
  const floor = Math.floor(partitions.length / members.length);
  let larger = partitions.length % members.length;
  const shares = new Map<string, number[]>(members.map((member) => [member, []]));
  for (const [member, share] of shares) {
    for (const claimed of claims.get(member) ?? []) {
      const full = share.length >= floor + (larger > 0 ? 1 : 0);
      if (full || !free.delete(claimed)) continue;
      share.push(claimed);
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
