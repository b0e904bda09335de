import type { StandingsQuery } from '#contract/rest/provider.ts';
import { rankingRecord, standingsEntry, standingsRecord } from '#contract/rest/standings-record.ts';
import {
  type ComparedGroup,
  compareLeague,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  LEAGUE_TYPE_ID,
} from '#domain/standings/provider-league.ts';
import { isOwnTable } from '#domain/standings/table-id.ts';
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { JsonObject } from '#json/values.ts';
import type { ProviderStandings, Standings } from '#records/types.ts';
import { growingCache } from '#timing/growing-cache.ts';
import type { KnockOutStage, SeasonEntry, TableEntry } from './board-view.ts';
import type { CatalogueView } from './catalogue.ts';
import { Conditions, type CountedPage, SqlView, type Statements } from './sql.ts';

type TableRow = { readonly json: string; readonly derived: 0 | 1; readonly changed: number };

/** SQL condition on the catalogue: a stage with brackets, unless its record has `show_standings`. */
const KNOCK_OUT = `kind = 'stage' AND json ->> '$.stage.has_brackets' AND json ->> '$.stage.show_standings' IS NOT 1`;

/** SQL condition that leaves out tables of knock-out stages. */
const NO_BRACKET = `(object_type <> 'stage'
  OR NOT EXISTS (SELECT 1 FROM catalogue WHERE ${KNOCK_OUT} AND id = CAST(object_id AS TEXT)))`;

export class TableView extends SqlView {
  /** Stores a derived table, visible since `changed`, Unix seconds; where a later version is stored, returns that version instead. */
  apply(table: Standings, changed: number): number | null {
    const later = this.#laterThan(table);
    if (later === null) this.#put(table, table.groups.length === 0, true, changed);
    return later;
  }

  /** Stores a ranking of the provider unless a newer one is stored. */
  applyRanking(ranking: ProviderStandings, changed: number): void {
    if (this.#laterThan(ranking) === null)
      this.#put(ranking, ranking.item_status === 'deleted', false, changed);
  }

  #laterThan({ standings_id, version }: Standings | ProviderStandings): number | null {
    const text = 'SELECT version FROM standings WHERE id = ? AND version > ?';
    return this.sql.value<number>(text, standings_id, version) ?? null;
  }

  #put(table: Standings | ProviderStandings, deleted: boolean, derived: boolean, changed: number): void {
    const { standings_id: id, version, competition_id, season_id, object_type, object_id } = table;
    const entry = standingsEntry(table);
    const of = { sport_id: entry.sport_id as number, competition_id, season_id, object_type, object_id };
    const flags = { deleted: Number(deleted), derived: Number(derived) };
    const texts = { entry: JSON.stringify(entry), json: JSON.stringify(table) };
    this.sql.insert('INSERT OR REPLACE INTO standings', { id, version, changed, ...of, ...flags, ...texts });
  }

  /** Returns the tables that match a query, with `changedSince` (Unix seconds) those that changed since. `competitions`: visible ones; null: all. */
  page(
    query: StandingsQuery,
    changedSince: number | undefined,
    competitions: ReadonlySet<number> | null,
  ): CountedPage<{ readonly entry: string; readonly changed: number }> {
    const { object_type, object_id } = query;
    const conditions = new Conditions()
      .where('sport_id = ?', query.sport_id)
      .where('changed >= ?', changedSince)
      .among('competition_id', competitions);
    // A season includes the tables of its stages (spec, "Standings catalogue").
    if (object_type === 'season') {
      conditions.where("(object_type = 'season' AND object_id = ? OR season_id = ?)", object_id);
    } else conditions.where('object_type = ?', object_type).where('object_id = ?', object_id);
    // Queries for changes must also return deleted tables.
    if (changedSince === undefined) conditions.also('deleted = 0');
    conditions.also(NO_BRACKET);
    return this.sql.page('entry, changed', 'standings', conditions, 'id', query);
  }

  /** The day of the tables, which decides which corrections they have: YYYY-MM-DD in UTC. */
  today(): string {
    return dayOf(Date.now());
  }

  /** Returns a table as it is today, `record` as `data.standings`; undefined if it is unknown or deleted. */
  find(id: number) {
    const text = `SELECT json, derived FROM standings WHERE id = ? AND deleted = 0 AND ${NO_BRACKET}`;
    const [row] = this.sql.rows<TableRow>(text, id);
    if (row === undefined) return undefined;
    const table = row.derived ? this.#todays(row.json) : (JSON.parse(row.json) as ProviderStandings);
    const { competition_id, season_id, ut } = table;
    const record: JsonObject = 'item_status' in table ? rankingRecord(table) : standingsRecord(table);
    return { competition_id, season_id, record: { ut, ...record } };
  }

  /** Returns the derived tables of a season with a type that are not deleted, as they are today. */
  derived(seasonId: number, typeId: number): { readonly table: Standings; readonly changed: number }[] {
    const text = `SELECT json, changed FROM standings WHERE season_id = ? AND derived = 1 AND deleted = 0
      AND json ->> 'type_id' = ? AND ${NO_BRACKET} ORDER BY id`;
    return this.sql
      .rows<TableRow>(text, seasonId, typeId)
      .map(({ json, changed }) => ({ table: this.#todays(json), changed }));
  }

  ofSeason(seasonId: number): TableEntry[] {
    const text = `SELECT entry FROM standings WHERE season_id = ? AND deleted = 0 AND ${NO_BRACKET} ORDER BY id`;
    return this.sql.column<string>(text, seasonId).map(tableEntry);
  }

  /** Returns the tables without a season: rankings of the provider. */
  rankings(): TableEntry[] {
    const text = 'SELECT entry FROM standings WHERE season_id IS NULL AND deleted = 0 ORDER BY id';
    return this.sql.column<string>(text).map(tableEntry);
  }

  /** Returns the seasons that have tables, or a match in a knock-out stage, ordered by id, with the competition of the tables, else of the matches. */
  seasons(): Pick<SeasonEntry, 'season_id' | 'competition_id'>[] {
    const text = `SELECT season_id, iif(max(is_table), max(iif(is_table, competition_id, NULL)), max(competition_id)) AS competition_id
      FROM (SELECT season_id, competition_id, 1 AS is_table FROM standings WHERE deleted = 0
        UNION ALL SELECT season_id, competition_id, 0 FROM events
        WHERE hidden = 0 AND stage_id IN (SELECT number FROM catalogue WHERE ${KNOCK_OUT}))
      WHERE season_id IS NOT NULL GROUP BY season_id ORDER BY season_id`;
    return this.sql.rows(text);
  }

  /** Returns the knock-out stages of a season in the provider's order, each with its matches by start and id. */
  knockOuts(seasonId: number): KnockOutStage[] {
    const text = `SELECT number, json FROM catalogue WHERE ${KNOCK_OUT} AND parent_id = ?
      ORDER BY json ->> '$.stage.sort', number`;
    const stages = this.sql.rows<{ number: number; json: string }>(text, String(seasonId));
    return stages.map(({ number, json }) => ({
      stage_id: number,
      name: JSON.parse(json).name || null,
      matches: this.#matches(number),
    }));
  }

  #matches(stageId: number): KnockOutStage['matches'] {
    const text = 'SELECT state, plain FROM events WHERE stage_id = ? AND hidden = 0 ORDER BY start, id';
    return this.sql.rows<{ state: string; plain: string }>(text, stageId).map(({ state, plain }) => {
      const { round_name, progress_id, winner_id, series } = JSON.parse(plain);
      return {
        state: JSON.parse(state),
        round: round_name || null,
        advancing_id: progress_id ?? null,
        winner_id: winner_id ?? null,
        series: series.event_ids.map(Number),
      };
    });
  }

  #todays(json: string): Standings {
    const table: Standings = JSON.parse(json);
    return { ...table, groups: groupsOn(table, this.today()) };
  }
}

function tableEntry(json: string): TableEntry {
  const { id, name, type_id, type_name, subtype, object_type, object_id } = JSON.parse(json);
  return { standings_id: id, name, type_id, type_name, subtype, object_type, object_id };
}

/** How long our table must be unchanged before a difference counts, seconds: twice the poller's usual STANDINGS_PERIOD_MS. */
export const SETTLED_SECONDS = 7_200;

/** Maximum number of seasons whose comparison is kept, some hundred bytes each where the tables agree. */
const MAX_COMPARED = 20_000;

/** The groups of a season, and when the latest of our tables changed here, Unix seconds. */
type ComparedSeason = { readonly changed: number; readonly groups: ComparedGroup[] };

export class LeagueView extends SqlView {
  readonly #catalogue: CatalogueView;
  readonly #standings: TableView;
  /** The comparisons of one day, until a table of the season changes: a new day may bring corrections. */
  readonly #compared = growingCache<number, ComparedSeason>(MAX_COMPARED);
  #day = '';

  constructor(sql: Statements, catalogue: CatalogueView, standings: TableView) {
    super(sql);
    this.#catalogue = catalogue;
    this.#standings = standings;
  }

  /** Has a season compared again, as one of its tables has changed. */
  invalidate(seasonId: number): void {
    this.#compared.delete(seasonId);
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
