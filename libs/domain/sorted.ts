/** The index of the first item that is not below what is searched, in sorted items from `low` on; their length where all are. */
export function lowerBound<T>(items: readonly T[], isBelow: (item: T) => boolean, low = 0): number {
  let from = low;
  let to = items.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBelow(items[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}
