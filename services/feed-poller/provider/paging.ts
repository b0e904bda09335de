import { type FeedAnswer, ProviderError } from './answer.ts';
import type { ProviderClient, ProviderRequest } from './provider.ts';

/** A whole list, with `api.timestamp` of the page that was read first, Unix seconds. */
export type WholeList<T> = { readonly timestamp: number; readonly items: readonly T[] };

type ListReading<T> = {
  readonly itemsOf: (answer: FeedAnswer) => readonly T[];
  readonly idOf: (item: T) => string;
  /** Whether absence means removal: then several pages are read twice with the same ids, as two changes can hide a third. */
  readonly absenceCounts: boolean;
};

/** Maximum number of attempts, each from the first page. */
const MAX_ATTEMPTS = 6;

/** Reads all pages of a list, again when it changes: count, items and ids must agree. Throws `ProviderError`. */
export async function readPages<T>(
  provider: Pick<ProviderClient, 'get'>,
  request: ProviderRequest,
  { itemsOf, idOf, absenceCounts }: ListReading<T>,
  signal: AbortSignal,
): Promise<WholeList<T>> {
  const page = (at: number) => provider.get({ ...request, query: { ...request.query, page: at } }, signal);
  let before: { readonly timestamp: number; readonly ids: string } | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const first = await page(1);
    const { timestamp } = first;
    const items = [...itemsOf(first)];
    // A list without a count has one page.
    const total = first.total ?? items.length;
    let pages = 1;
    while (items.length < total) {
      pages += 1;
      const next = await page(pages);
      const more = itemsOf(next);
      if (next.total !== total || more.length === 0) break;
      items.push(...more);
    }
    const ids = items.map(idOf);
    if (items.length !== total || new Set(ids).size !== total) {
      before = undefined;
      continue;
    }
    if (!absenceCounts || pages === 1) return { timestamp, items };
    // The list had these ids at both times. The earlier one is the safe choice.
    if (before?.ids === JSON.stringify(ids)) return { timestamp: before.timestamp, items };
    before = { timestamp, ids: JSON.stringify(ids) };
  }
  throw new ProviderError('INCONSISTENT', request.operation, 'the list changes while its pages are read');
}
