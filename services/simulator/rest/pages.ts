import type { Paging } from '#contract/rest/provider.ts';
import type { RestFaults } from './faults.ts';

/**
 * One page of a list, with the faults of pages. `roundOf` is the round of a record: a page that is cut short ends
 * inside one, where it can.
 */
export function pageOf<T>(
  records: readonly T[],
  { limit, page }: Paging,
  faults: RestFaults,
  roundOf: (record: T) => unknown = () => null,
): readonly T[] {
  const first = (page - 1) * limit;
  const size = Math.min(limit, records.length - first);
  // The count is right: only the ids show that one record is duplicated and one is missing.
  const moved = page > 1 && size > 0 && faults.strikes('changed_page') ? 1 : 0;
  const whole = records.slice(first - moved, first - moved + Math.max(0, size));
  if (whole.length < 2 || !faults.strikes('short_page')) return whole;
  const ends = whole.flatMap((record, n) =>
    n > 0 && roundOf(record) === roundOf(whole[n - 1] as T) ? [n] : [],
  );
  const end = ends[faults.int('short_page', 0, ends.length - 1)] ?? whole.length - 1;
  return whole.slice(0, end);
}
