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
  list: ListReading<T>,
  signal: AbortSignal,
): Promise<WholeList<T>> {
  const page = (at: number) => provider.get({ ...request, query: { ...request.query, page: at } }, signal);
  let before: { readonly timestamp: number; readonly ids: string } | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const read = await readOnce(page, list);
    if (read === null) {
      before = undefined;
      continue;
    }
    const { timestamp, items, pages } = read;
    if (!list.absenceCounts || pages === 1) return { timestamp, items };
    const ids = JSON.stringify(items.map(list.idOf));
    // The list had these ids at both times. The earlier one is the safe choice.
    if (before?.ids === ids) return { timestamp: before.timestamp, items };
    before = { timestamp, ids };
  }
  throw new ProviderError('INCONSISTENT', request.operation, 'the list changes while its pages are read');
}

async function readOnce<T>(
  page: (at: number) => Promise<FeedAnswer>,
  { itemsOf, idOf }: ListReading<T>,
): Promise<(WholeList<T> & { readonly pages: number }) | null> {
  const first = await page(1);
  const { timestamp } = first;
  const items = [...itemsOf(first)];
  // A list without a count has one page.
  const total = first.total ?? items.length;
  let pages = 1;
  while (items.length < total) {
    const next = await page(pages + 1);
    const more = itemsOf(next);
    if (next.total !== total || more.length === 0) return null;
    items.push(...more);
    pages += 1;
  }
  const isWhole = items.length === total && new Set(items.map(idOf)).size === total;
  return isWhole ? { timestamp, items, pages } : null;
}
