import type { StandingsQuery } from '#contract/rest/provider.ts';
import { rankingRecord } from '#contract/rest/standings-record.ts';
import { bodyOn, dayOf } from '#domain/standings/dated-table.ts';
import type { ProviderStandings, Standings, StandingsEntry } from '#records/types.ts';
import type { SeasonEntry, TableEntry } from './board-view.ts';
import { KNOCK_OUT } from './knock-outs.ts';
import { Conditions, type CountedPage, SqlView, type Statements } from './sql.ts';

/** A table as JSON, with its competition and the times at which it was written and became visible here, Unix seconds. */
type StoredTable = Readonly<Pick<Standings, 'competition_id' | 'season_id' | 'ut'>> & {
  readonly json: string;
  readonly changed: number;
};

type TableRow = Omit<StoredTable, 'json'> & { readonly body: string; readonly later: string };

/** An entry of the catalogue of tables as JSON, and the time its table was written, Unix seconds; null without a table. */
type EntryRow = { readonly json: string; readonly ut: number | null };

/** SQL condition that leaves out tables of knock-out stages. */
const NO_BRACKET = `(object_type <> 'stage'
  OR NOT EXISTS (SELECT 1 FROM catalogue WHERE ${KNOCK_OUT} AND id = CAST(object_id AS TEXT)))`;

/** The tables and their catalogue. */
export class TableView extends SqlView {
  readonly #now: () => number;

  /** `now`: returns Unix milliseconds; their day decides which corrections a table has. */
  constructor(sql: Statements, now: () => number) {
    super(sql);
    this.#now = now;
  }

  /** Stores an entry unless a newer one is stored. `changed`: the time at which it became visible, Unix seconds. */
  applyEntry(entry: StandingsEntry, changed: number): void {
    const id = entry.standings_id;
    if (this.#versionOf('standings_entries', id) > entry.version) return;
    const { version, cause: _, standings_id, ...shown } = entry;
    this.sql.insert('INSERT OR REPLACE INTO standings_entries', {
      id,
      version,
      changed,
      sport_id: entry.sport_id,
      competition_id: entry.competition_id,
      season_id: entry.season_id,
      object_type: entry.object_type,
      object_id: entry.object_id,
      deleted: entry.item_status === 'deleted' ? 1 : 0,
      json: JSON.stringify({ id: standings_id, ...shown }),
    });
  }

  /** As `applyEntry`, for a table. */
  apply(table: Standings, changed: number): void {
    const id = table.standings_id;
    if (this.#versionOf('standings', id) > table.version) return;
    this.sql.insert('INSERT OR REPLACE INTO standings', {
      id,
      version: table.version,
      changed,
      ut: table.ut,
      competition_id: table.competition_id,
      body: table.body,
      later: JSON.stringify(table.later),
    });
  }

  /** As `applyEntry`, for a ranking of the provider. */
  applyRanking(ranking: ProviderStandings, changed: number): void {
    const {
      groups: _groups,
      stage_id: _stage,
      reset_group_rank: _reset,
      sport_name: _sport,
      other: _other,
      ...entry
    } = ranking;
    this.applyEntry({ ...entry, ut: entry.version, cause: null }, changed);
    if (ranking.item_status === 'deleted') return;
    this.apply({ ...entry, cause: null, body: JSON.stringify(rankingRecord(ranking)), later: [] }, changed);
  }

  /**
   * Returns the number of entries that match a query, and those on its page. With `changedSince` (Unix seconds) only entries
   * that changed, or whose table changed, since then. `competitions`: those the client may see; null means all.
   */
  page(
    query: StandingsQuery,
    changedSince: number | undefined,
    competitions: ReadonlySet<number> | null,
  ): CountedPage<EntryRow> {
    const { object_type, object_id } = query;
    const tableChanged = 'SELECT s.changed FROM standings s WHERE s.id = standings_entries.id';
    const conditions = new Conditions()
      .where('sport_id = ?', query.sport_id)
      .where(`(changed >= ? OR (${tableChanged}) >= ?)`, changedSince)
      .among('competition_id', competitions);
    // A season includes the tables of its stages (spec, "Standings catalogue").
    if (object_type === 'season') {
      conditions.where("(object_type = 'season' AND object_id = ? OR season_id = ?)", object_id);
    } else conditions.where('object_type = ?', object_type).where('object_id = ?', object_id);
    // Queries for changes must also return deleted tables.
    if (changedSince === undefined) conditions.also('deleted = 0');
    conditions.also(NO_BRACKET);
    const written = '(SELECT s.ut FROM standings s WHERE s.id = standings_entries.id) AS ut';
    return this.sql.page(`json, ${written}`, 'standings_entries', conditions, 'id', query);
  }

  /** The day of the tables, YYYY-MM-DD in UTC. */
  today(): string {
    return dayOf(this.#now());
  }

  /** Returns a table as it is today; undefined if it is unknown or deleted. */
  find(id: number): StoredTable | undefined {
    const season = 'SELECT e.season_id FROM standings_entries e WHERE e.id = standings.id';
    const text = `SELECT body, later, competition_id, (${season}) AS season_id, ut, changed FROM standings WHERE id = ?
      AND NOT EXISTS (SELECT 1 FROM standings_entries
        WHERE standings_entries.id = standings.id AND (deleted = 1 OR NOT ${NO_BRACKET}))`;
    const [row] = this.sql.rows<TableRow>(text, id);
    if (row === undefined) return undefined;
    const { body, later, ...stored } = row;
    return { ...stored, json: bodyOn({ body, later: JSON.parse(later) }, this.today()) };
  }

  /** Returns the tables of a season that are not deleted. */
  ofSeason(seasonId: number): TableEntry[] {
    const text = `SELECT id, json FROM standings_entries WHERE season_id = ? AND deleted = 0
      AND ${NO_BRACKET} ORDER BY id`;
    return this.sql.rows<IdAndJson>(text, seasonId).map(tableEntry);
  }

  /** Returns the tables without a season: rankings of the provider. */
  rankings(): TableEntry[] {
    const text = `SELECT id, json FROM standings_entries WHERE season_id IS NULL AND deleted = 0
      AND id IN (SELECT id FROM standings) ORDER BY id`;
    return this.sql.rows<IdAndJson>(text).map(tableEntry);
  }

  /** Returns the seasons that have tables, with their competitions. */
  seasons(): Pick<SeasonEntry, 'season_id' | 'competition_id'>[] {
    const text = `SELECT season_id, max(competition_id) AS competition_id FROM standings_entries
      WHERE deleted = 0 AND season_id IS NOT NULL GROUP BY season_id ORDER BY season_id`;
    return this.sql.rows(text);
  }

  /** Returns the stored version; -1 if there is none. */
  #versionOf(table: 'standings_entries' | 'standings', id: number): number {
    return this.sql.value<number>(`SELECT version FROM ${table} WHERE id = ?`, id) ?? -1;
  }
}

type IdAndJson = { readonly id: number; readonly json: string };

function tableEntry({ id, json }: IdAndJson): TableEntry {
  const { name, type_id, type_name, subtype, object_type, object_id } = JSON.parse(json);
  return { standings_id: id, name, type_id, type_name, subtype, object_type, object_id };
}
