import type { FeedAnswer } from '../provider/answer.ts';
import { readPages, type WholeList } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { idOf, type Raw, readList } from '../provider/tree.ts';

type Provider = Pick<ProviderClient, 'get'>;

/** Maximum page size of the catalogue of standings. */
const PAGE = 500;

/** Reads the catalogue of standings: all entries that match the query. Throws `ProviderError`. */
export function readStandingsList(
  provider: Provider,
  query: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<WholeList<Raw>> {
  const paging = {
    absenceCounts: false,
    idOf: (entry: Raw) => idOf(entry) ?? '',
    itemsOf: ({ data }: FeedAnswer) => readList(data, 'standings_list'),
  };
  const request = { operation: 'standings.index', query: { ...query, limit: PAGE } } as const;
  return readPages(provider, request, paging, signal);
}

/** Reads a table, with `api.timestamp` of the answer, Unix seconds. `record`: undefined if it is not in the answer. Throws `ProviderError`. */
export async function readStandings(
  provider: Provider,
  id: number,
  signal: AbortSignal,
): Promise<{ readonly record: Raw | undefined; readonly timestamp: number }> {
  const { data, timestamp } = await provider.get({ operation: 'standings.show', id, query: {} }, signal);
  return { record: (data as { readonly standings?: Raw } | null)?.standings, timestamp };
}
