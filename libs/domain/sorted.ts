/** Returns the index, from `low` on, of the first of the sorted items for which `isBelow` is false; their length if there is none. */
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
