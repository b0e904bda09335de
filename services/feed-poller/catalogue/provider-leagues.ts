import { LEAGUE_TYPE_ID, PROVIDER_LEAGUE, readProviderLeague } from '#domain/standings/provider-league.ts';
import { toWholeNumber } from '#json/values.ts';
import { type FeedAnswer, ProviderError } from '../provider/answer.ts';
import { readPages } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { type CatalogueItem, idOf, type Raw, readList } from '../provider/tree.ts';
import type { Catalogue } from './catalogue.ts';

/** Maximum page size of the catalogue of standings. */
const PAGE = 500;

/**
 * Publishes the provider's league tables of seasons, with its corrections, to the catalogue topic. Tables are derived from results
 * alone: these are for comparison.
 */
export class ProviderLeagues {
  readonly #provider: Pick<ProviderClient, 'get'>;
  readonly #catalogue: Pick<Catalogue, 'publish'>;

  constructor(provider: Pick<ProviderClient, 'get'>, catalogue: Pick<Catalogue, 'publish'>) {
    this.#provider = provider;
    this.#catalogue = catalogue;
  }

  /** Reads the league tables of a season and of its stages. Throws `ProviderError`, `PublishError`. */
  async readSeason(seasonId: number, signal: AbortSignal): Promise<void> {
    const query = { object_type: 'season', object_id: seasonId, limit: PAGE };
    const paging = {
      absenceCounts: false,
      idOf: (entry: Raw) => idOf(entry) ?? '',
      itemsOf: ({ data }: FeedAnswer) => readList(data, 'standings_list'),
    };
    const { items } = await readPages(
      this.#provider,
      { operation: 'standings.index', query },
      paging,
      signal,
    );
    for (const entry of items) {
      const id = toWholeNumber(entry.id);
      if (id === null || toWholeNumber(entry.type_id) !== LEAGUE_TYPE_ID) continue;
      if (entry.item_status !== 'deleted') await this.#readTable(id, seasonId, signal);
    }
  }

  async #readTable(id: number, seasonId: number, signal: AbortSignal): Promise<void> {
    const operation = 'standings.show';
    const answer = await this.#provider.get({ operation, id, query: {} }, signal).catch(ifFound);
    if (answer === null) return;
    const league = readProviderLeague((answer.data as { readonly standings?: Raw } | null)?.standings);
    if (league === null) throw new ProviderError('BAD_ANSWER', operation, 'the table is not in the answer');
    // Without a time of its own: rows may change without a change of the provider's time.
    const item: CatalogueItem = {
      kind: PROVIDER_LEAGUE,
      id: String(id),
      parentId: String(seasonId),
      body: league,
    };
    await this.#catalogue.publish([item], answer.timestamp);
  }
}

/** Returns null for a table that is gone since the list was read. */
function ifFound(error: unknown): null {
  if (error instanceof ProviderError && error.code === 'NOT_FOUND') return null;
  throw error;
}
