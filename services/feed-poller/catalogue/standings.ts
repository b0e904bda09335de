import { hash } from 'node:crypto';
import { LEAGUE_TYPE_ID } from '#domain/standings/provider-league.ts';
import { leagueItem } from '#ingestion/catalogue.ts';
import { PROVIDER_TYPES, providerLeague, providerStandings } from '#ingestion/provider-standings.ts';
import { toWholeNumber } from '#json/values.ts';
import { type FeedAnswer, isProviderError, ProviderError } from '../provider/answer.ts';
import { readPages, type WholeList } from '../provider/paging.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { idOf, type Raw, readList } from '../provider/tree.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import type { Catalogue } from './catalogue.ts';

type Provider = Pick<ProviderClient, 'get'>;

const PAGE = 500;

/** Reads the catalogue of standings: all entries that match the query. Throws `ProviderError`. */
function readStandingsList(
  provider: Provider,
  query: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<WholeList<Raw>> {
  const itemsOf = ({ data }: FeedAnswer) => readList(data, 'standings_list');
  const request = { operation: 'standings.index', query: { ...query, limit: PAGE } } as const;
  return readPages(provider, request, { absenceCounts: false, idOf, itemsOf }, signal);
}

/** Reads a table, with `api.timestamp` of the answer, Unix seconds. `record`: undefined if it is not in the answer. Throws `ProviderError`. */
async function readStandings(provider: Provider, id: number, signal: AbortSignal) {
  const { data, timestamp } = await provider.get({ operation: 'standings.show', id, query: {} }, signal);
  return { record: (data as { readonly standings?: Raw } | null)?.standings, timestamp };
}

/**
 * Publishes the provider's league tables of a season and of its stages, with its corrections: to compare, as tables are derived
 * from results alone. Throws `ProviderError`, `PublishError`.
 */
export async function readLeagues(
  provider: Provider,
  catalogue: Pick<Catalogue, 'publish'>,
  seasonId: number,
  signal: AbortSignal,
): Promise<void> {
  const query = { object_type: 'season', object_id: seasonId };
  const { items } = await readStandingsList(provider, query, signal);
  for (const { id: given, type_id, item_status } of items) {
    const id = toWholeNumber(given);
    if (id === null || toWholeNumber(type_id) !== LEAGUE_TYPE_ID || item_status === 'deleted') continue;
    const read = await readStandings(provider, id, signal).catch((error: unknown) => {
      // The table is gone since the list was read.
      if (isProviderError(error, 'NOT_FOUND')) return null;
      throw error;
    });
    if (read === null) continue;
    const unread = new Set<string>();
    const league = providerLeague(read.record, unread);
    if (league === null)
      throw new ProviderError('BAD_ANSWER', 'standings.show', 'the table is not in the answer');
    await catalogue.publish([leagueItem(id, seasonId, league, unread)], read.timestamp);
  }
}

const DELETED = 'deleted';

type Published = {
  readonly digest: string;
  /** When the provider wrote the table, Unix seconds; 0 before the first read. */
  readonly ut: number;
};

/** Publishes the provider's rankings, which no results give: all once at the start, then changes. */
export function rankingsReader(options: {
  readonly provider: Provider;
  readonly topicWriter: Pick<TopicWriter, 'ranking'>;
}) {
  const { provider, topicWriter } = options;
  const listed = new Map<number, Raw>();
  const published = new Map<number, Published>();

  const publishDeleted = async (id: number, entry: Raw, time: number): Promise<void> => {
    const ranking = providerStandings(entry, time, {}, new Set());
    const { digest, ut } = published.get(id) ?? { digest: '', ut: 0 };
    if (ranking === null || digest === DELETED) return;
    await topicWriter.ranking({ ...ranking, version: Math.max(ut, ranking.version) });
    published.set(id, { digest: DELETED, ut });
  };
  return {
    /** Reads a sport's catalogue entries since Unix seconds (null: all). Returns the rankings' ids and the next `since`. Throws as `read`. */
    async readList(sport: number, since: number | null, signal: AbortSignal) {
      const query = { sport_id: sport, ...(since === null ? {} : { timestamp: since }) };
      const { timestamp, items } = await readStandingsList(provider, query, signal);
      const ids: number[] = [];
      for (const entry of items) {
        const id = toWholeNumber(entry.id);
        if (id === null || !PROVIDER_TYPES.has(toWholeNumber(entry.type_id) ?? 0)) continue;
        listed.set(id, entry);
        if (entry.item_status === 'deleted') await publishDeleted(id, entry, timestamp);
        else ids.push(id);
      }
      return { ids, time: timestamp };
    },
    /** Publishes a changed ranking. Returns `end` for one listed as deleted. Throws `ProviderError`, `PublishError`. */
    async read(id: number, signal: AbortSignal): Promise<'end' | undefined> {
      const entry = listed.get(id) ?? {};
      if (entry.item_status === 'deleted') return 'end';
      const { record, timestamp } = await readStandings(provider, id, signal);
      const unread = new Set<string>();
      const ranking = providerStandings(record, timestamp, entry, unread);
      if (ranking?.standings_id !== id)
        throw new ProviderError('BAD_ANSWER', 'standings.show', 'the ranking is not in the answer');
      const { ut } = ranking;
      const digest = hash('sha1', JSON.stringify({ ...ranking, version: 0 }), 'base64');
      const before = published.get(id);
      // An older table comes from a cache.
      if (before !== undefined && (before.digest === digest || ut < before.ut)) return;
      await topicWriter.ranking(ranking, unread);
      published.set(id, { digest, ut });
      return;
    },
  };
}
