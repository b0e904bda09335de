import type { StandingsQuery } from '#contract/rest/provider.ts';
import { rankingRecord, standingsEntry, standingsRecord } from '#contract/rest/standings-record.ts';
import { dayOf, groupsOn } from '#domain/standings/types.ts';
import type { JsonObject } from '#json/values.ts';
import type { ProviderStandings, Standings } from '#records/types.ts';
import type { KnockOutStage, SeasonEntry, TableEntry } from './board-view.ts';
import { Conditions, type CountedPage, SqlView } from './sql.ts';

type TableRow = { readonly json: string; readonly derived: 0 | 1; readonly changed: number };

/** SQL condition on the catalogue: a stage with brackets, unless its record has `show_standings`. */
const KNOCK_OUT = `kind = 'stage' AND json ->> '$.stage.has_brackets' AND json ->> '$.stage.show_standings' IS NOT 1`;

/** SQL condition that leaves out tables of knock-out stages. */
const NO_BRACKET = `(object_type <> 'stage'
  OR NOT EXISTS (SELECT 1 FROM catalogue WHERE ${KNOCK_OUT} AND id = CAST(object_id AS TEXT)))`;

/** The tables and their catalogue. */
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

  /** Returns the tables of a season that are not deleted. */
  ofSeason(seasonId: number): TableEntry[] {
    const text = `SELECT entry FROM standings WHERE season_id = ? AND deleted = 0 AND ${NO_BRACKET} ORDER BY id`;
    return this.sql.column<string>(text, seasonId).map(tableEntry);
  }

  /** Returns the tables without a season: rankings of the provider. */
  rankings(): TableEntry[] {
    const text = 'SELECT entry FROM standings WHERE season_id IS NULL AND deleted = 0 ORDER BY id';
    return this.sql.column<string>(text).map(tableEntry);
  }

  /** Returns the seasons that have tables, with their competitions. */
  seasons(): Pick<SeasonEntry, 'season_id' | 'competition_id'>[] {
    const text = `SELECT season_id, max(competition_id) AS competition_id FROM standings
      WHERE deleted = 0 AND season_id IS NOT NULL GROUP BY season_id ORDER BY season_id`;
    return this.sql.rows(text);
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

/** The knock-out stages of the provider's catalogue, with their matches. */
export class KnockOutView extends SqlView {
  /** Returns the seasons that have a match in a knock-out stage. */
  seasons(): Pick<SeasonEntry, 'season_id' | 'competition_id'>[] {
    const text = `SELECT season_id, max(competition_id) AS competition_id FROM events
      WHERE hidden = 0 AND season_id IS NOT NULL AND stage_id IN (SELECT number FROM catalogue WHERE ${KNOCK_OUT})
      GROUP BY season_id ORDER BY season_id`;
    return this.sql.rows(text);
  }

  /** Returns the knock-out stages of a season in the provider's order, each with its matches by start and id. */
  stages(seasonId: number): KnockOutStage[] {
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
}
