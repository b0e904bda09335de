/** Orders of lists. */

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

/** Compares lists of as many figures, the larger one first: the next figure decides where one is equal. */
export function compareFigures(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const order = (b[at] ?? 0) - (a[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
