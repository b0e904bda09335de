import { ProviderError } from '../errors.ts';
import type { FeedAnswer } from './answer.ts';
import type { ProviderClient, ProviderRequest } from './provider.ts';

/** A whole list; the time is that of the page that was read first, Unix seconds. */
export type Whole<T> = { readonly timestamp: number; readonly items: readonly T[] };

type ListReading<T> = {
  readonly itemsOf: (answer: FeedAnswer) => readonly T[];
  readonly idOf: (item: T) => string;
  /**
   * Absence from the list means removal. One record that appears and one that disappears between pages can hide a third
   * without changing the count, so a list of several pages must be read twice with the same ids.
   */
  readonly absenceCounts: boolean;
};

/** Attempts from the first page before the read fails for now. */
const TRIES = 6;

/**
 * Reads all pages of the list that a request asks for; restarts when it changes meanwhile: the count must be the same on
 * every page and equal the items collected, with no id twice. Throws `ProviderError`, `INCONSISTENT` when it never holds still.
 */
export async function readPages<T>(
  provider: Pick<ProviderClient, 'get'>,
  request: ProviderRequest,
  list: ListReading<T>,
  signal: AbortSignal,
): Promise<Whole<T>> {
  const page = (at: number) => provider.get({ ...request, query: { ...request.query, page: at } }, signal);
  let before: { readonly timestamp: number; readonly ids: string } | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readOnce(page, list);
    if (read === null) {
      before = undefined;
      continue;
    }
    const { timestamp, items, pages } = read;
    if (!list.absenceCounts || pages === 1) return { timestamp, items };
    const ids = JSON.stringify(items.map(list.idOf));
    // The ids hold at both times; the earlier one is the safe claim.
    if (before?.ids === ids) return { timestamp: before.timestamp, items };
    before = { timestamp, ids };
  }
  throw new ProviderError('INCONSISTENT', request.operation, 'the list changes while its pages are read');
}

async function readOnce<T>(
  page: (at: number) => Promise<FeedAnswer>,
  { itemsOf, idOf }: ListReading<T>,
): Promise<(Whole<T> & { readonly pages: number }) | null> {
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
