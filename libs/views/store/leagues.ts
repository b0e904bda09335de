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

/** How long our table must be unchanged before a difference counts, seconds: twice the poller's usual STANDINGS_PERIOD_MS. */
export const SETTLED_SECONDS = 7_200;

/** Maximum number of seasons whose comparison is kept, some hundred bytes each where the tables agree. */
const MAX_COMPARED = 20_000;

/** The groups of a season, and when the latest of our tables changed here, Unix seconds. */
type ComparedSeason = { readonly changed: number; readonly groups: ComparedGroup[] };

/** The provider's league tables beside ours. */
export class LeagueView extends SqlView {
  readonly #catalogue: CatalogueView;
  readonly #standings: TableView;
  /** The comparisons of one day, until a table of the season changes: a new day may bring corrections. */
  readonly #compared = new LRUCache<number, ComparedSeason>({ max: MAX_COMPARED });
  #day = '';

  constructor(sql: Statements, catalogue: CatalogueView, standings: TableView) {
    super(sql);
    this.#catalogue = catalogue;
    this.#standings = standings;
  }

  /** Has a season compared again, as one of its tables has changed. */
  invalidate(seasonId: number | null): void {
    if (seasonId !== null) this.#compared.delete(seasonId);
  }

  /** Returns the provider's league tables of a season, each group beside the one of ours that has its teams. */
  compared(seasonId: number): ComparedGroup[] {
    return this.#season(seasonId).groups;
  }

  /** Returns the number of groups with each kind of difference that has settled. `now`: Unix seconds. */
  differences(now: number): ReadonlyMap<DifferenceKind, number> {
    const text = 'SELECT DISTINCT CAST(parent_id AS INTEGER) FROM catalogue WHERE kind = ?';
    const settled = this.sql
      .column<number>(text, 'provider_league')
      .map((seasonId) => this.#season(seasonId))
      .filter(({ changed }) => changed + SETTLED_SECONDS <= now)
      .flatMap(({ groups }) => groups);
    const count = (kind: DifferenceKind): number =>
      settled.filter(({ differences }) => differences.some((one) => one.kind === kind)).length;
    return new Map(DIFFERENCE_KINDS.map((kind) => [kind, count(kind)]));
  }

  #season(seasonId: number): ComparedSeason {
    const today = this.#standings.today();
    if (today !== this.#day) this.#compared.clear();
    this.#day = today;
    const season = this.#compared.get(seasonId) ?? this.#compare(seasonId);
    this.#compared.set(seasonId, season);
    return season;
  }

  #compare(seasonId: number): ComparedSeason {
    const ours = this.#standings
      .derived(seasonId, LEAGUE_TYPE_ID)
      .filter(({ table }) => !isOwnTable(table.standings_id, table));
    const tables = ours.map(({ table }) => table);
    const theirs = this.#catalogue.list('provider_league', seasonId);
    return {
      changed: Math.max(0, ...ours.map((league) => league.changed)),
      groups: theirs.flatMap(({ provider_league: league }) => (league ? compareLeague(league, tables) : [])),
    };
  }
}
