import { ProviderError } from '../errors.ts';
import type { FeedAnswer } from './answer.ts';
import type { ProviderClient, ProviderRequest } from './provider.ts';

/** A page of a list. */
export type ListPage<T> = {
  /** `api.timestamp` of the answer, Unix seconds. */
  readonly timestamp: number;
  /** Items over all pages; null where the list has no pages. */
  readonly total: number | null;
  readonly items: readonly T[];
};

/** A whole list; the time is that of the page that was read first. */
export type Whole<T> = Omit<ListPage<T>, 'total'>;

/** How a whole list is read. */
type WholeOptions<T> = {
  readonly operation: string;
  readonly page: (page: number) => Promise<ListPage<T>>;
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
 * Reads all pages of a list; restarts when it changes meanwhile: the count must be the same on every page and equal the
 * items collected, with no id twice. Throws `ProviderError` `inconsistent` when it never holds still.
 */
export async function readWhole<T>(options: WholeOptions<T>): Promise<Whole<T>> {
  let before: (Whole<T> & { readonly ids: string }) | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readOnce(options);
    if (read === null) {
      before = undefined;
      continue;
    }
    const { timestamp, items } = read;
    if (!options.absenceCounts || read.pages === 1) return { timestamp, items };
    const ids = JSON.stringify(items.map(options.idOf));
    // The ids hold at both times; the earlier one is the safe claim.
    if (before !== undefined && before.ids === ids) return { timestamp: before.timestamp, items };
    before = { timestamp, items, ids };
  }
  throw new ProviderError('INCONSISTENT', options.operation, 'the list changes while its pages are read');
}

/** Reads all pages of the list that a request asks for, as `readWhole`. Throws `ProviderError`. */
export function readPages<T>(
  provider: Pick<ProviderClient, 'get'>,
  request: ProviderRequest,
  {
    itemsOf,
    ...how
  }: Pick<WholeOptions<T>, 'idOf' | 'absenceCounts'> & {
    readonly itemsOf: (answer: FeedAnswer) => readonly T[];
  },
  signal: AbortSignal,
): Promise<Whole<T>> {
  const { operation, query } = request;
  const page = async (at: number): Promise<ListPage<T>> => {
    const answer = await provider.get({ ...request, query: { ...query, page: at } }, signal);
    return { timestamp: answer.timestamp, total: answer.total, items: itemsOf(answer) };
  };
  return readWhole({ ...how, operation, page });
}

async function readOnce<T>(
  options: WholeOptions<T>,
): Promise<(Whole<T> & { readonly pages: number }) | null> {
  const first = await options.page(1);
  const items = [...first.items];
  let pages = 1;
  if (first.total !== null) {
    while (items.length < first.total) {
      const next = await options.page(pages + 1);
      if (next.total !== first.total || next.items.length === 0) return null;
      items.push(...next.items);
      pages += 1;
    }
    if (items.length !== first.total) return null;
  }
  if (new Set(items.map(options.idOf)).size !== items.length) return null;
  return { timestamp: first.timestamp, items, pages };
}
