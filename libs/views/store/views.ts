import type { DatabaseSync } from 'node:sqlite';
import type { FeedStatus, SourceFeedStatus } from '#tradability/feed-status.ts';
import type { ReadPosition, ViewRecord } from '../ingest/records.ts';
import type { PlaceIds, PlaceNames, ShownState } from './board-view.ts';
import { CatalogueView } from './catalogue.ts';
import { ChangeView } from './changes.ts';
import { EventCoverage } from './coverage.ts';
import { isBroken, type OpenOptions, openViews, removeViews, settle } from './database.ts';
import { FeedView } from './feed.ts';
import { Freshness } from './freshness.ts';
import { HealthView } from './health.ts';
import { IncidentView } from './incidents.ts';
import { KnockOutView } from './knock-outs.ts';
import { MatchView } from './matches.ts';
import { PlaceView } from './places.ts';
import type { Served } from './served.ts';
import { Statements } from './sql.ts';
import { TableView } from './tables.ts';

export type Changed = {
  readonly states: Map<number, ShownState>;
  /** Events whose record or incidents are new. */
  readonly events: Set<number>;
  /** Seasons with new tables; null is that of the rankings. */
  readonly seasons: Set<number | null>;
  names: boolean;
  /** Whether anything is new that answers of REST are made of: all but health. */
  answers: boolean;
};

/** Of a match whose state may not be the newest. */
const IN_DOUBT: FeedStatus = { believed: false, state: 'expired', reason: null, since: null, source: null };

/** What the live board is shown from: all of it is known now, none of it is waited for. */
export type BoardView = Pick<
  Views,
  | 'liveStates'
  | 'recentStates'
  | 'matchHealth'
  | 'sourceHealth'
  | 'sourceRecords'
  | 'state'
  | 'incidents'
  | 'story'
  | 'place'
  | 'seasons'
  | 'tables'
  | 'knockOuts'
  | 'rankings'
  | 'table'
  | 'onChange'
  | 'onTable'
>;

/** All that a replica knows, on disk and in memory, with the offsets it has read to. */
export class Views {
  readonly catalogue: CatalogueView;
  readonly matches: MatchView;
  /** Which events are kept, where some competitions only are served. */
  readonly coverage: EventCoverage;
  readonly places: PlaceView;
  readonly incidentLog: IncidentView;
  readonly changes: ChangeView;
  readonly feed: FeedView;
  readonly standings: TableView;
  readonly health: HealthView;
  /** Whether the states of matches are the newest. */
  readonly freshness: Freshness;
  /** For what is put together of several tables. Reading only. */
  readonly sql: Statements;
  readonly #knockOuts: KnockOutView;
  readonly #database: DatabaseSync;
  /** When these views were last written to before they were opened, Unix milliseconds; 0 where they are new. */
  readonly #leftAt: number;
  readonly #listeners = new Set<(state: ShownState) => void>();
  readonly #tableListeners = new Set<(seasonId: number | null) => void>();
  /** Counts changes of everything there is. */
  version = 0;
  /** Counts changes of what lists of events are made of. */
  listVersion = 0;
  /** Counts changes of the names of places: every event that is kept rendered with them is stale after one. */
  nameVersion = 0;
  readonly #staleEvents = new Set<(eventId: number) => void>();
  /** Whether applied records are new: everything that was there at the start is applied. */
  #isLive = false;

  /** Reuses the views of a folder or rebuilds them: as `openViews`, and also when their content is damaged. */
  static open(options: OpenOptions & { readonly competitions: Served }): {
    readonly views: Views;
    readonly fresh: string | null;
  } {
    const { competitions } = options;
    const { database, fresh } = openViews(options);
    try {
      return { views: new Views(database, competitions), fresh };
    } catch (error) {
      database.close();
      if (fresh !== null || !isBroken(error)) throw error;
    }
    removeViews(options.folder);
    return { views: new Views(openViews(options).database, competitions), fresh: 'it is damaged' };
  }

  /** Takes the database over; `close` closes it. `competitions`: those that are served, null is all. */
  constructor(database: DatabaseSync, competitions: Served = null) {
    this.#database = database;
    const sql = new Statements(database);
    this.sql = sql;
    this.#leftAt =
      this.offsets().size === 0 ? 0 : Number(sql.value("SELECT value FROM meta WHERE key = 'used'"));
    this.catalogue = new CatalogueView(sql);
    this.places = new PlaceView(sql, this.catalogue);
    this.matches = new MatchView(sql);
    this.coverage = new EventCoverage(sql, this.matches, competitions);
    this.incidentLog = new IncidentView(sql);
    this.changes = new ChangeView(sql);
    this.feed = new FeedView(sql);
    this.standings = new TableView(sql);
    this.health = new HealthView(sql);
    this.freshness = new Freshness(this.matches);
    this.#knockOuts = new KnockOutView(sql);
  }

  /** The next offset to read by `partitionKey`, as of the last batch that was applied. */
  offsets(): Map<string, number> {
    const rows = this.sql.rows<{ key: string; next: number }>('SELECT key, next FROM offsets');
    return new Map(rows.map(({ key, next }) => [key, next]));
  }

  /** The leader epochs of the last records before `offsets`, by `partitionKey`, where they are known. */
  epochs(): Map<string, number> {
    const text = 'SELECT key, epoch FROM offsets WHERE epoch IS NOT NULL';
    return new Map(this.sql.rows<{ key: string; epoch: number }>(text).map(({ key, epoch }) => [key, epoch]));
  }

  /**
   * Writes a batch, which `write` does, and where to go on in its partitions (`positions`), all of it or nothing; then calls
   * back for what it has changed. `now` is Unix milliseconds.
   */
  write(positions: readonly ReadPosition[], now: number, write: (changed: Changed) => void): void {
    const changed: Changed = {
      states: new Map(),
      events: new Set(),
      seasons: new Set(),
      names: false,
      answers: false,
    };
    this.#database.exec('BEGIN');
    try {
      write(changed);
      const reached = this.sql.of('INSERT OR REPLACE INTO offsets VALUES (?, ?, ?)');
      for (const { key, next, epoch } of positions) reached.run(key, next, epoch);
      this.sql.of("UPDATE meta SET value = ? WHERE key = 'used'").run(String(now));
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    if (changed.answers) this.version += 1;
    if (changed.names) this.nameVersion += 1;
    if (changed.names || changed.states.size > 0) this.listVersion += 1;
    for (const id of changed.events) for (const stale of this.#staleEvents) stale(id);
    for (const state of changed.states.values()) for (const listener of this.#listeners) listener(state);
    for (const season of changed.seasons) for (const listener of this.#tableListeners) listener(season);
  }

  /**
   * Call once everything that was there at the start is applied: makes the indexes that rebuilt views lack. `partitions`: those of
   * match-state, where `freshness` is told how far they are read.
   */
  caughtUp(partitions: number | null = null): void {
    settle(this.#database);
    if (partitions !== null) this.freshness.follow(partitions);
    this.#isLive = true;
  }

  /** Calls back for each event whose record or incidents are new. */
  onStale(listener: (eventId: number) => void): void {
    this.#staleEvents.add(listener);
  }

  close(): void {
    this.#database.close();
  }

  /** Every match that is live now, by start and id. */
  liveStates(): readonly ShownState[] {
    return this.matches.live();
  }

  /** The matches that changed last, whatever their status, newest change first; of these competitions, where given. */
  recentStates(limit: number, competitions: ReadonlySet<number> | null = null): readonly ShownState[] {
    return this.matches.recent(limit, competitions);
  }

  /** What feed health says of a match at `now`, Unix milliseconds; expired where its state may not be the newest. */
  matchHealth(eventId: number, now: number): FeedStatus {
    if (this.freshness.isInDoubt(eventId, performance.now())) return IN_DOUBT;
    return this.health.match(eventId, now);
  }

  /** The same of every source of messages. */
  sourceHealth(now: number): readonly SourceFeedStatus[] {
    return this.health.sources(now);
  }

  /** The latest record of each source, expired or not. */
  sourceRecords() {
    return this.health.sourceRecords();
  }

  /** The matches that any source has a record of in feed-health. */
  judgedMatches(): readonly number[] {
    return this.health.matches();
  }

  /** Null for an event that is unknown, or was deleted. */
  state(eventId: number): ShownState | null {
    return this.matches.state(eventId);
  }

  /** All incidents of an event, removed ones too, by id as text. */
  incidents(eventId: number) {
    return this.incidentLog.shown(eventId);
  }

  /** What happened to its important incidents and goals, its score, its status, its guard and its result, in order. */
  story(eventId: number) {
    return this.incidentLog.story(eventId);
  }

  place(of: PlaceIds): PlaceNames {
    return {
      competition: this.catalogue.name('competition', of.competition_id),
      season: this.catalogue.name('season', of.season_id),
      stage: this.catalogue.name('stage', of.stage_id),
      group: this.catalogue.name('group', of.group_id),
    };
  }

  /** The seasons that have tables or matches of knock-out stages. */
  seasons() {
    const found = [...this.#knockOuts.seasons(), ...this.standings.seasons()];
    const bySeason = new Map(found.map((entry) => [entry.season_id, entry]));
    return [...bySeason.values()]
      .sort((a, b) => a.season_id - b.season_id)
      .map(({ season_id, competition_id }) => ({
        season_id,
        season: this.catalogue.name('season', season_id),
        competition_id,
        competition: this.catalogue.name('competition', competition_id),
      }));
  }

  /** The knock-out stages of a season, by the provider's order. */
  knockOuts(seasonId: number) {
    return this.#knockOuts.stages(seasonId);
  }

  /** The tables of a season, those of its stages too, that are not deleted. */
  tables(seasonId: number) {
    return this.standings.ofSeason(seasonId);
  }

  /** The tables that are of no season, not deleted: world rankings and the like. */
  rankings() {
    return this.standings.rankings();
  }

  /** A table in the provider's shape (`data.standings`); null where there is none. */
  table(standingsId: number): Readonly<Record<string, unknown>> | null {
    const row = this.standings.find(standingsId);
    return row === undefined ? null : JSON.parse(row.json);
  }

  /** Calls back after each change of a match, its deletion too, is visible here; returns what ends that. The listener must not throw. */
  onChange(listener: (state: ShownState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As `onChange`, for a table of a season; null is a ranking. */
  onTable(listener: (seasonId: number | null) => void): () => void {
    this.#tableListeners.add(listener);
    return () => this.#tableListeners.delete(listener);
  }

  /**
   * When a record becomes visible, Unix seconds. What is read at the start did so elsewhere, or would have, when it was
   * written; but not before these views were left, for they had not shown it.
   */
  changedAt({ written }: Pick<ViewRecord, 'written'>, now: number): number {
    const time = this.#isLive || written === undefined ? now : Math.max(written, this.#leftAt);
    return Math.floor(time / 1000);
  }
}
