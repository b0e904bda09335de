import { LEAGUE_TYPE_ID } from '#domain/standings/provider-league.ts';
import { leagueItem } from '#ingestion/catalogue.ts';
import { providerLeague } from '#ingestion/provider-standings.ts';
import { toWholeNumber } from '#json/values.ts';
import { ProviderError } from '../provider/answer.ts';
import type { ProviderClient } from '../provider/provider.ts';
import type { Catalogue } from './catalogue.ts';
import { readStandings, readStandingsList } from './standings.ts';

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
    const query = { object_type: 'season', object_id: seasonId };
    const { items } = await readStandingsList(this.#provider, query, signal);
    for (const entry of items) {
      const id = toWholeNumber(entry.id);
      if (id === null || toWholeNumber(entry.type_id) !== LEAGUE_TYPE_ID) continue;
      if (entry.item_status !== 'deleted') await this.#readTable(id, seasonId, signal);
    }
  }

  async #readTable(id: number, seasonId: number, signal: AbortSignal): Promise<void> {
    const read = await readStandings(this.#provider, id, signal).catch(ifFound);
    if (read === null) return;
    const unread = new Set<string>();
    const league = providerLeague(read.record, unread);
    if (league === null)
      throw new ProviderError('BAD_ANSWER', 'standings.show', 'the table is not in the answer');
    await this.#catalogue.publish([leagueItem(id, seasonId, league, unread)], read.timestamp);
  }
}

/** Returns null for a table that is gone since the list was read. */
function ifFound(error: unknown): null {
  if (error instanceof ProviderError && error.code === 'NOT_FOUND') return null;
  throw error;
}
