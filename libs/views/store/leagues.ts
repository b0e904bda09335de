import { LRUCache } from 'lru-cache';
import {
  type ComparedGroup,
  compareLeague,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  LEAGUE_TYPE_ID,
} from '#domain/standings/provider-league.ts';
import { isOwnTable } from '#domain/standings/table-id.ts';
import type { CatalogueView } from './catalogue.ts';
import { SqlView, type Statements } from './sql.ts';
import type { TableView } from './tables.ts';

/**
 * How long our table must be unchanged before a difference counts, seconds: twice the poller's usual STANDINGS_PERIOD_MS, so that the
 * provider's table was read after the last match.
 */
export const SETTLED_SECONDS = 7_200;

/** Maximum number of seasons whose comparison is kept, some kilobytes each. */
const MAX_COMPARED = 200;

type Season = {
  /** When the latest of our tables changed here, Unix seconds. */
  readonly changed: number;
  /** The kinds of differences of each table. */
  readonly kinds: readonly DifferenceKind[];
};

/** The provider's league tables beside ours. */
export class LeagueView extends SqlView {
  readonly #catalogue: CatalogueView;
  readonly #standings: TableView;
  readonly #seasons = new Map<number, Season>();
  /** The comparisons that were read last, until a table of the season changes. */
  readonly #compared = new LRUCache<number, ComparedGroup[]>({ max: MAX_COMPARED });
  /** Seasons with a changed table since they were compared; null: all. */
  #stale: Set<number> | null = null;
  /** The day of all comparisons. */
  #day = '';

  constructor(sql: Statements, catalogue: CatalogueView, standings: TableView) {
    super(sql);
    this.#catalogue = catalogue;
    this.#standings = standings;
  }

  /** Has a season compared again, as one of its tables has changed. */
  invalidate(seasonId: number | null): void {
    if (seasonId === null) return;
    this.#compared.delete(seasonId);
    this.#stale?.add(seasonId);
  }

  /** Returns the provider's league tables of a season, each group beside the one of ours that has its teams. */
  compared(seasonId: number): ComparedGroup[] {
    this.#forgetYesterday();
    const known = this.#compared.get(seasonId);
    if (known !== undefined) return known;
    const groups = this.#compare(seasonId)?.groups ?? [];
    this.#compared.set(seasonId, groups);
    return groups;
  }

  /**
   * Returns the number of groups with each kind of difference that has settled. Compares a season again only after one of its
   * tables changed. `now`: Unix seconds.
   */
  differences(now: number): ReadonlyMap<DifferenceKind, number> {
    this.#forgetYesterday();
    const stale = this.#stale ?? this.#known();
    this.#stale = new Set();
    for (const seasonId of stale) {
      const compared = this.#compare(seasonId);
      if (compared === null) continue;
      const { changed, groups } = compared;
      const kinds = groups.flatMap(({ differences }) => [...new Set(differences.map(({ kind }) => kind))]);
      this.#seasons.set(seasonId, { changed, kinds });
    }
    const counts = new Map(DIFFERENCE_KINDS.map((kind) => [kind, 0]));
    for (const { changed, kinds } of this.#seasons.values()) {
      if (changed + SETTLED_SECONDS > now) continue;
      for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  /** Has all seasons compared again on a new day, which may bring corrections. */
  #forgetYesterday(): void {
    const today = this.#standings.today();
    if (today === this.#day) return;
    this.#day = today;
    this.#stale = null;
    this.#compared.clear();
  }

  /** Compares a season, with the time of the last change of our tables, Unix seconds. Null without a table of the provider. */
  #compare(seasonId: number): { readonly changed: number; readonly groups: ComparedGroup[] } | null {
    const theirs = this.#catalogue.list('provider_league', seasonId);
    if (theirs.length === 0) return null;
    const ours = this.#standings
      .derived(seasonId, LEAGUE_TYPE_ID)
      .filter(({ table }) => !isOwnTable(table.standings_id, table));
    const tables = ours.map(({ table }) => table);
    return {
      changed: Math.max(0, ...ours.map((league) => league.changed)),
      groups: theirs.flatMap(({ provider_league: league }) => (league ? compareLeague(league, tables) : [])),
    };
  }

  /** Returns the seasons of which the provider's tables were read. */
  #known(): number[] {
    const text = 'SELECT DISTINCT CAST(parent_id AS INTEGER) AS id FROM catalogue WHERE kind = ?';
    return this.sql.rows<{ id: number }>(text, 'provider_league').map(({ id }) => id);
  }
}
