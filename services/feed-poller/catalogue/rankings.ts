import { hash } from 'node:crypto';
import { toWholeNumber } from '#contract/values.ts';
import { PROVIDER_TYPES, providerTable } from '#domain/standings/provider-table.ts';
import type { StandingsEntry } from '#topics/generated/types.ts';
import { ProviderError } from '../errors.ts';
import { readWhole } from '../provider/paging.ts';
import type { Provider } from '../provider/provider.ts';
import { idOf, type Raw, readList } from '../provider/tree.ts';
import type { Outlet } from '../publish/outlet.ts';

/** Largest page of the catalogue of standings. */
const PAGE = 500;

/** In the place of a digest. */
const DELETED = 'deleted';

/** What rankings are read with. */
export type RankingsOptions = {
  readonly provider: Pick<Provider, 'get'>;
  readonly outlet: Pick<Outlet, 'ranking'>;
};

type Told = {
  /** Digest of the entry and the table. */
  readonly digest: string;
  /** The provider's time of writing the table; 0 before it was read. */
  readonly ut: number;
};

/**
 * The rankings of national teams and of clubs, which no match result tells: passed on as the provider has them.
 *
 * The catalogue of standings tells which there are; each is read whole, since nobody says that its entry is written
 * anew when its rows are. Only what changed is published, and all of them once when a poller begins.
 */
export class Rankings {
  readonly #options: RankingsOptions;
  /** Entries of the catalogue by id. */
  readonly #listed = new Map<number, Raw>();
  readonly #told = new Map<number, Told>();

  constructor(options: RankingsOptions) {
    this.#options = options;
  }

  /**
   * Reads what the catalogue of a sport has that was written at or after `since` (Unix seconds; null is all). Gives the
   * rankings in it, and the time from which to read next. Throws `ProviderError`, `PublishError`.
   */
  async readList(
    sport: number,
    since: number | null,
    signal: AbortSignal,
  ): Promise<{ readonly ids: readonly number[]; readonly time: number }> {
    const operation = 'standings.index';
    const query = { sport_id: sport, ...(since === null ? {} : { timestamp: since }), limit: PAGE };
    const { timestamp, items } = await readWhole<Raw>({
      operation,
      absenceCounts: false,
      idOf: (entry) => idOf(entry) ?? '',
      page: async (page) => {
        const answer = await this.#options.provider.get({ operation, query: { ...query, page } }, signal);
        const entries = readList(answer.data, 'standings_list');
        return { timestamp: answer.timestamp, total: answer.total, items: entries };
      },
    });
    const ids: number[] = [];
    for (const entry of items) {
      const id = toWholeNumber(entry.id);
      if (id === null || !PROVIDER_TYPES.has(toWholeNumber(entry.type_id) ?? 0)) continue;
      this.#listed.set(id, entry);
      if (entry.item_status === 'deleted') await this.#tellDeleted(id, entry, timestamp);
      else ids.push(id);
    }
    return { ids, time: timestamp };
  }

  /**
   * Reads a ranking, and publishes it where it is not as it was told; `end` where the catalogue says that it is gone.
   * Throws `ProviderError`, `PublishError`.
   */
  async read(id: number, signal: AbortSignal): Promise<'done' | 'end'> {
    if (this.#listed.get(id)?.item_status === 'deleted') return 'end';
    const operation = 'standings.show';
    const { data, timestamp } = await this.#options.provider.get({ operation, id, query: {} }, signal);
    const record = (data as { readonly standings?: Raw } | null)?.standings;
    const ranking = providerTable(record, timestamp);
    if (ranking === null || ranking.entry.standings_id !== id) {
      throw new ProviderError('bad_answer', operation, 'the ranking is not in the answer');
    }
    const listed = this.#listed.get(id);
    // What only its entry tells, as a name, belongs to it too. The table itself stays as it is.
    const entry = providerTable({ ...listed, ...record }, timestamp)?.entry ?? ranking.entry;
    const { ut, body } = ranking.table;
    const digest = hash('sha1', JSON.stringify([{ ...entry, ut: 0, version: 0 }, body]), 'base64');
    const told = this.#told.get(id);
    // A lower time comes out of some cache.
    if (told !== undefined && (told.digest === digest || ut < told.ut)) return 'done';
    await this.#options.outlet.ranking({
      entry: stamped(entry, Math.max(ut, toWholeNumber(listed?.ut) ?? 0)),
      table: ranking.table,
    });
    this.#told.set(id, { digest, ut });
    return 'done';
  }

  async #tellDeleted(id: number, listed: Raw, time: number): Promise<void> {
    const entry = providerTable(listed, time)?.entry;
    const told = this.#told.get(id) ?? { digest: '', ut: 0 };
    if (entry === undefined || told.digest === DELETED) return;
    const { ut } = told;
    await this.#options.outlet.ranking({ entry: stamped(entry, Math.max(ut, entry.ut)), table: null });
    this.#told.set(id, { digest: DELETED, ut });
  }
}

/** An entry is as new as the newer of what the catalogue says and of its table. */
function stamped(entry: StandingsEntry, ut: number): StandingsEntry {
  return { ...entry, ut, version: ut };
}
