import type { CompetitionRules } from '#contract/competition-rules.ts';
import { standingsBody } from './body.ts';
import { TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import { type Flag, flagsOf, type Game, inOrder, readGame } from './games.ts';
import { correctionsAt } from './standing.ts';
import { standingsId, type TableObject } from './standings-id.ts';
import { type Table, tablesOf } from './tables.ts';
import type { MatchResult, Team } from './types.ts';

/** A match result with its place in the season. */
export type PlacedResult = MatchResult & {
  readonly stage_id: number | null;
  readonly group_id: number | null;
};

/** A table as it is now. */
export type DerivedTable = {
  readonly id: number;
  readonly kind: TableKind;
  readonly type: TableType;
  readonly object: TableObject;
  /** False: it has no rows, and so there is no such table. */
  readonly active: boolean;
  /** In the provider's shape, as canonical JSON. */
  readonly body: string;
};

type Known = { readonly version: number; readonly game: Game | null; readonly flags: readonly Flag[] };
type Group = Map<number, Known>;
type Stage = {
  /** By group id; null is no group. */
  readonly groups: Map<number | null, Group>;
  stale: 'no' | 'live' | 'all';
};

/** Tables of teams are those of a stage, group by group; those of persons, results and all together are the season's. */
const OF_STAGE = [...TABLE_TYPES].filter(([, { ranks }]) => ranks === 'team').map(([kind]) => kind);
const OF_SEASON = [...TABLE_TYPES].filter(([, { ranks }]) => ranks !== 'team').map(([kind]) => kind);
const NO_DAY = '';

/**
 * The tables of one season. It keeps the last-known results, and derives from them alone, anew each time, the tables
 * that results taken since the last time may have changed: a goal of a match that is being played can only change the
 * live table of its stage.
 */
export class SeasonTables {
  readonly #competitionId: number;
  readonly #seasonId: number;
  readonly #rules: CompetitionRules;
  /** By stage id; null is no stage. */
  readonly #stages = new Map<number | null, Stage>();
  /** Where each match is now. */
  readonly #places = new Map<number, { readonly stage: Stage; readonly group: Group }>();
  #seasonStale = false;
  /** The corrections that the tables were derived with last. */
  #corrections: CompetitionRules['corrections'] = [];

  constructor(competitionId: number, seasonId: number, rules: CompetitionRules) {
    this.#competitionId = competitionId;
    this.#seasonId = seasonId;
    this.#rules = rules;
  }

  /** The season with these results, whose tables were derived before. */
  static restore(
    competitionId: number,
    seasonId: number,
    rules: CompetitionRules,
    results: Iterable<PlacedResult>,
  ): SeasonTables {
    const tables = new SeasonTables(competitionId, seasonId, rules);
    for (const result of results) tables.take(result);
    for (const stage of tables.#stages.values()) stage.stale = 'no';
    tables.#seasonStale = false;
    return tables;
  }

  /**
   * Takes the result of a match of this season; results come in the order of their log, and the last one stands. A
   * match has one place: a result elsewhere takes it there. False where nothing is new: the version that is known, or
   * that a match has left where it is not.
   */
  take(result: PlacedResult): boolean {
    const { event_id, version } = result;
    const place = this.#places.get(event_id);
    const stage = this.#stageOf(result.stage_id);
    const group = groupOf(stage, result.group_id);
    const before = group.get(event_id);
    if (result.removed ? before === undefined : before?.version === version) return false;
    if (result.removed) {
      group.delete(event_id);
      this.#places.delete(event_id);
      this.#allStale(stage);
      return true;
    }
    if (place !== undefined && place.group !== group) {
      place.group.delete(event_id);
      this.#allStale(place.stage);
    }
    const game = readGame(result, this.#rules, null);
    group.set(event_id, { version, game, flags: flagsOf(result, game) });
    this.#places.set(event_id, { stage, group });
    if (!isLiveChange(before?.game ?? null, game)) this.#allStale(stage);
    else if (stage.stale === 'no') stage.stale = 'live';
    return true;
  }

  /** Has every table derived the next time, e.g. since the rules may have changed. */
  invalidate(): void {
    for (const stage of this.#stages.values()) stage.stale = 'all';
    this.#seasonStale = true;
  }

  /** What could not be counted, as far as it is known now. */
  flags(): Flag[] {
    return this.#groups().flatMap((group) => [...group.values()].flatMap(({ flags }) => flags));
  }

  /** The tables that may have changed since the last time, in a fixed order. */
  derive(): DerivedTable[] {
    const corrections = correctionsAt(this.#rules, this.#day());
    if (corrections.length !== this.#corrections.length) {
      for (const stage of this.#stages.values()) stage.stale = 'all';
    }
    this.#corrections = corrections;
    const rules = { ...this.#rules, corrections };
    const derived = byId(this.#stages).flatMap(([id, stage]) => this.#stageTables(id, stage, rules));
    if (this.#seasonStale) derived.push(...this.#seasonTables(rules));
    this.#seasonStale = false;
    return derived;
  }

  #stageTables(id: number | null, stage: Stage, rules: CompetitionRules): DerivedTable[] {
    if (stage.stale === 'no') return [];
    const kinds = stage.stale === 'live' ? (['live'] as const) : OF_STAGE;
    stage.stale = 'no';
    const object = id === null ? this.#season() : { ...this.#season(), type: 'stage' as const, id };
    const groups = byId(stage.groups).flatMap(([groupId, group]) => {
      const games = gamesOf([group]);
      return games.length === 0 ? [] : { id: groupId, tables: tablesOf(games, rules, null, kinds) };
    });
    return kinds.map((kind) => derivedTable(kind, object, groups));
  }

  #seasonTables(rules: CompetitionRules): DerivedTable[] {
    const games = gamesOf(this.#groups());
    const tables = tablesOf(games, rules, null, OF_SEASON);
    const groups = games.length === 0 ? [] : [{ id: null, tables }];
    return OF_SEASON.map((kind) => derivedTable(kind, this.#season(), groups));
  }

  /**
   * The day that decides which corrections are in force: the last on which a match that counts began; null, all of
   * them, once nothing is left to play. It is told by the results and not by a clock, so that a replay shows the
   * tables of its day.
   */
  #day(): string | null {
    if (this.#rules.corrections.every(({ from }) => from === null)) return null;
    let last = NO_DAY;
    let toCome = false;
    for (const group of this.#groups()) {
      for (const { game } of group.values()) {
        if (game?.state === 'to_come') toCome = true;
        if ((game?.state === 'played' || game?.state === 'playing') && game.start > last) last = game.start;
      }
    }
    return toCome ? last.slice(0, 10) : null;
  }

  #allStale(stage: Stage): void {
    stage.stale = 'all';
    this.#seasonStale = true;
  }

  #season(): TableObject {
    return {
      type: 'season',
      id: this.#seasonId,
      competitionId: this.#competitionId,
      seasonId: this.#seasonId,
    };
  }

  #groups(): Group[] {
    return [...this.#stages.values()].flatMap(({ groups }) => [...groups.values()]);
  }

  #stageOf(id: number | null): Stage {
    const known = this.#stages.get(id);
    if (known !== undefined) return known;
    const stage: Stage = { groups: new Map(), stale: 'no' };
    this.#stages.set(id, stage);
    return stage;
  }
}

function groupOf({ groups }: Stage, id: number | null): Group {
  const known = groups.get(id);
  if (known !== undefined) return known;
  const group: Group = new Map();
  groups.set(id, group);
  return group;
}

function gamesOf(groups: readonly Group[]): Game[] {
  return inOrder(groups.flatMap((group) => [...group.values()].flatMap(({ game }) => game ?? [])));
}

function derivedTable(
  kind: TableKind,
  object: TableObject,
  groups: readonly { readonly id: number | null; readonly tables: ReadonlyMap<TableKind, Table> }[],
): DerivedTable {
  const type = TABLE_TYPES.get(kind) as TableType;
  const id = standingsId(kind, object);
  const withRows = groups.flatMap((group) => {
    const table = group.tables.get(kind);
    return table === undefined || table.rows.length === 0 ? [] : { id: group.id, table };
  });
  return {
    id,
    kind,
    type,
    object,
    active: withRows.length > 0,
    body: standingsBody({ id, type, object, groups: withRows }),
  };
}

/** A match that was being played and still is counts in the live table alone; what it is and who plays did not change. */
function isLiveChange(before: Game | null, after: Game | null): boolean {
  return (
    before?.state === 'playing' &&
    after?.state === 'playing' &&
    before.start === after.start &&
    before.round === after.round &&
    isSameTeam(before.home, after.home) &&
    isSameTeam(before.away, after.away)
  );
}

function isSameTeam(a: Team, b: Team): boolean {
  return (
    a.id === b.id &&
    a.name === b.name &&
    a.acronym === b.acronym &&
    a.area_id === b.area_id &&
    a.area_name === b.area_name
  );
}

/** In order of id, null first. */
function byId<V>(map: ReadonlyMap<number | null, V>): [number | null, V][] {
  return [...map].sort(([a], [b]) => (a ?? -1) - (b ?? -1));
}
