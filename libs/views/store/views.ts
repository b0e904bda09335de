import { EventEmitter } from 'node:events';
import { LEVELS } from '#contract/rest/tree.ts';
import type { MatchState, Standings } from '#records/types.ts';
import { type FeedStatus, UNKNOWN } from '#trading/feed-status.ts';
import type { ReadPosition, ViewRecord } from '../records.ts';
import type { LevelIds, LevelNames, ShownState } from './board-view.ts';
import { CatalogueView, TreeView } from './catalogue.ts';
import { EventCoverage } from './coverage.ts';
import { isBroken, type OpenedViews, type OpenViewsOptions, openViews, removeViews } from './database.ts';
import { FeedView } from './feed.ts';
import { Freshness, HaltView, HealthView } from './health.ts';
import { ChangeView, IncidentView } from './incidents.ts';
import { MatchView } from './matches.ts';
import type { ServedCompetitions } from './served.ts';
import { SqlView, Statements } from './sql.ts';
import { LeagueView, TableView } from './tables.ts';

/** A record that was not applied, as its match or table has a later version, `known`: the state was lost in between. */
export type LostState = {
  readonly topic: 'match-state' | 'standings';
  readonly partition: number;
  readonly known: number;
  readonly record: MatchState | Standings;
};

export type ViewChanges = {
  /** New states by event id. */
  readonly states: Map<number, ShownState>;
  /** Events with a new record or incident. */
  readonly events: Set<number>;
  /** Events with a new goal or red card, which a state may have named before. */
  readonly keyIncidents: Set<number>;
  /** Seasons with new tables; null stands for the rankings. */
  readonly seasons: Set<number | null>;
  /** Records whose match or table has a later version. */
  readonly wentBack: LostState[];
  names: boolean;
};

/**
 * `match`: a match changed or was deleted. `table`: a table of a season changed; null stands for a ranking.
 * `stale`: an event has a new record or incident.
 */
type ViewEvents = { match: [ShownState]; table: [seasonId: number | null]; stale: [eventId: number] };

/** Feed status of a match whose state may be outdated. */
const OUTDATED: FeedStatus = { ...UNKNOWN, state: 'expired' };

/** The part of the views that the live board reads; every method returns at once. */
export type BoardView = {
  readonly matches: Pick<MatchView, 'live' | 'recent' | 'upcoming' | 'state'>;
  readonly health: Pick<HealthView, 'sources' | 'sourceRecords' | 'past'>;
  readonly halts: Pick<HaltView, 'standing' | 'records'>;
  readonly incidentLog: Pick<IncidentView, 'shown' | 'scoring' | 'yellowCards' | 'story' | 'guardClosedAt'>;
  readonly standings: Pick<TableView, 'ofSeason' | 'rankings' | 'knockOuts'>;
  readonly leagues: Pick<LeagueView, 'compared'>;
  readonly catalogue: Pick<CatalogueView, 'name'>;
} & Pick<Views, 'matchHealth' | 'levelNames' | 'seasons' | 'table' | 'events'>;

/** Time between two commits, milliseconds. What a killed process had not committed it reads again. */
export const COMMIT_MS = 1_000;

/** The views of a replica, on disk and in memory, with the offsets up to which they are applied. */
export class Views extends SqlView {
  readonly catalogue = new CatalogueView(this.sql);
  readonly tree = new TreeView(this.sql, this.catalogue);
  readonly matches = new MatchView(this.sql);
  readonly coverage: EventCoverage;
  readonly incidentLog = new IncidentView(this.sql);
  readonly changes = new ChangeView(this.sql);
  readonly feed = new FeedView(this.sql);
  readonly standings = new TableView(this.sql);
  readonly leagues = new LeagueView(this.sql, this.catalogue, this.standings);
  readonly health = new HealthView(this.sql);
  readonly halts = new HaltView();
  readonly freshness = new Freshness(this.matches);
  /** Emitted once what they are about is visible; listeners must not throw. */
  readonly events = new EventEmitter<ViewEvents>().setMaxListeners(0);
  readonly #opened: Omit<OpenedViews, 'fresh'>;
  /** Time of the last possible write before the views were opened, Unix milliseconds; 0 for new views. */
  readonly #lastWriteAt: number;
  /** Number of changes of data in lists of events. */
  listVersion = 0;
  /** Number of changes of names of the catalogue. Cached events are stale after a change. */
  nameVersion = 0;
  /** Whether the views have caught up, so that applied records are new. */
  #isLive = false;

  /** Opens existing views as `openViews` does, or creates empty ones, also if the content is damaged. Throws `ViewsInUseError`. */
  static open(options: OpenViewsOptions & { readonly competitions: ServedCompetitions }) {
    const { competitions } = options;
    const opened = openViews(options);
    const { fresh } = opened;
    try {
      return { views: new Views(opened, competitions), fresh };
    } catch (error) {
      opened.database.close();
      if (fresh !== null || !isBroken(error)) throw error;
    }
    removeViews(options.folder);
    return { views: new Views(openViews(options), competitions), fresh: 'it is damaged' };
  }

  /** `competitions`: ids of those that are served; null means all. */
  constructor(opened: Omit<OpenedViews, 'fresh'>, competitions: ServedCompetitions = null) {
    super(new Statements(opened.database));
    this.#opened = opened;
    const used = Number(this.sql.value("SELECT value FROM meta WHERE key = 'used'"));
    this.#lastWriteAt = this.positions('next').size === 0 ? 0 : COMMIT_MS + used;
    this.coverage = new EventCoverage(this.sql, this.matches, competitions);
  }

  /** Returns, by `partitionKey`, the next offset to read as of the last applied batch, or the leader epoch of the record before it where known. */
  positions(column: 'next' | 'epoch'): Map<string, number> {
    const text = `SELECT key, ${column} AS value FROM offsets WHERE ${column} IS NOT NULL`;
    return new Map(this.sql.rows<{ key: string; value: number }>(text).map(({ key, value }) => [key, value]));
  }

  /**
   * Calls `write` and stores the positions in one transaction, then notifies the listeners. The transaction stays open for the next
   * writes until `commit`: requests see what it has written, and a process that ends without it reads the records again. `now`:
   * Unix milliseconds. Throws the error of `write`, after which nothing since the last `commit` is stored. Returns the `wentBack` of
   * the changes.
   */
  write(
    positions: readonly ReadPosition[],
    now: number,
    write: (changed: ViewChanges) => void,
  ): readonly LostState[] {
    const changed: ViewChanges = {
      states: new Map(),
      events: new Set(),
      keyIncidents: new Set(),
      seasons: new Set(),
      wentBack: [],
      names: false,
    };
    const { database } = this.#opened;
    if (!database.isTransaction) database.exec('BEGIN');
    try {
      write(changed);
      const store = this.sql.of('INSERT OR REPLACE INTO offsets VALUES (?, ?, ?)');
      for (const { key, next, epoch } of positions) store.run(key, next, epoch);
      this.sql.of("UPDATE meta SET value = ? WHERE key = 'used'").run(String(now));
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
    if (changed.names) this.nameVersion += 1;
    if (changed.names || changed.states.size > 0) this.listVersion += 1;
    for (const id of changed.events) this.events.emit('stale', id);
    for (const id of changed.keyIncidents) {
      const state = this.#isLive && !changed.states.has(id) ? this.matches.renewed(id) : null;
      if (state !== null) changed.states.set(id, state);
    }
    for (const state of changed.states.values()) this.events.emit('match', state);
    for (const season of changed.seasons) {
      if (season !== null) this.leagues.invalidate(season);
      this.events.emit('table', season);
    }
    return changed.wentBack;
  }

  /** Stores what was written; call within `COMMIT_MS` after each write. Throws `ViewsLostError`, and SQLite's error, as of a full disk. */
  commit(): void {
    this.#opened.commit();
  }

  /** Call once all records that existed at the start are applied. `partitions`: of match-state, for callers that report to `freshness`. */
  caughtUp(partitions: number | null = null): void {
    this.#opened.finishBuild();
    if (partitions !== null) {
      this.freshness.follow(partitions);
      this.halts.follow();
    }
    this.#isLive = true;
  }

  close(): void {
    this.#opened.close();
  }

  /** Returns the feed status of a match at `now`, Unix milliseconds; expired if its state may be outdated. */
  matchHealth(eventId: number, now: number): FeedStatus {
    if (this.freshness.isInDoubt(eventId, performance.now())) return OUTDATED;
    return this.health.match(eventId, now);
  }

  /** Returns the names of competition, season, stage and group of a match; null where unknown. */
  levelNames(of: LevelIds): LevelNames {
    const names = LEVELS.map((level) => [level, this.catalogue.name(level, of[`${level}_id`])] as const);
    return Object.fromEntries(names) as LevelNames;
  }

  /** Returns the seasons that have tables or matches of knock-out stages, ordered by id. */
  seasons() {
    return this.standings.seasons().map(({ season_id, competition_id }) => ({
      season_id,
      season: this.catalogue.name('season', season_id),
      competition_id,
      competition: this.catalogue.name('competition', competition_id),
    }));
  }

  /** Returns a table in the provider's shape (`data.standings`); null if it is unknown or deleted. */
  table(standingsId: number): Readonly<Record<string, unknown>> | null {
    return this.standings.find(standingsId)?.record ?? null;
  }

  /** Returns when a record becomes visible, Unix seconds: one read while catching up did when it was written, but never before the last write here. */
  changedAt({ timestamp }: Pick<ViewRecord, 'timestamp'>, now: number): number {
    const time = this.#isLive || timestamp === undefined ? now : Math.max(timestamp, this.#lastWriteAt);
    return Math.floor(time / 1000);
  }
}
