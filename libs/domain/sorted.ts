/** Ids are compared as strings, by code units (law 4). */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The index of `id`, or where to insert it, in items sorted by id. */
function position(items: readonly { readonly id: string }[], id: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && item.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts an item into a list sorted by id, unless the list has one of that id. */
export function insertById<T extends { readonly id: string }>(items: T[], item: T): void {
  const at = position(items, item.id);
  if (items[at]?.id !== item.id) items.splice(at, 0, item);
}

/** Removes the item of that id from a list sorted by id. */
export function removeById<T extends { readonly id: string }>(items: T[], id: string): void {
  const at = position(items, id);
  if (items[at]?.id === id) items.splice(at, 1);
}
