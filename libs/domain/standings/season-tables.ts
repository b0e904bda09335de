import { isDeepStrictEqual } from 'node:util';
import { standingsBody, standingsId, type TableObject } from './body.ts';
import { TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import type { CompetitionRules } from './competition-rules.ts';
import { GameSet } from './game-set.ts';
import { type Flag, flagsOf, type Game, readGame } from './games.ts';
import { correctionsByStage, rulesOfStage, type SeasonGames, stagesAfter } from './stage-rules.ts';
import { correctionsAt } from './standing.ts';
import { BEGUN, TO_COME } from './subsets.ts';
import { byId, gameSet, type ScopeInputs, scopesOf } from './table-scope.ts';
import { type Table, tablesOf, touchedBy } from './tables.ts';
import type { SeasonResult } from './types.ts';

/** A table in its current state. */
export type DerivedTable = {
  readonly id: number;
  readonly type: TableType;
  readonly object: TableObject;
  /** Whether the table exists: a table without rows does not. */
  readonly active: boolean;
  /** In the provider's shape, as canonical JSON. */
  readonly body: string;
};

type KnownResult = { readonly version: number; readonly game: Game | null; readonly flags: readonly Flag[] };
type Group = {
  /** The last result of each match, by event id. */
  readonly matches: Map<number, KnownResult>;
  /** The matches between two known teams, as of the last derivation. */
  readonly games: GameSet;
};
type Stage = {
  /** Groups by id; null is no group. */
  readonly groups: Map<number | null, Group>;
  /** The tables to derive again. */
  readonly stale: Set<TableKind>;
  /** The stages whose tables start with its games. */
  readonly after: readonly number[];
};
type Corrections = ScopeInputs['corrections'];

type StageGroup = { readonly stage: Stage; readonly group: Group };
type GroupedGame = StageGroup & { readonly game: Game | null };

/** Tables of teams belong to a stage, group by group; those of persons, results and overall stats to the season. */
const OF_STAGE = [...TABLE_TYPES].filter(([, { ranks }]) => ranks === 'team').map(([kind]) => kind);
const OF_SEASON = [...TABLE_TYPES].filter(([, { ranks }]) => ranks !== 'team').map(([kind]) => kind);
const NO_DAY = '';

/**
 * The tables of one season. Keeps the last result of each match and derives from these alone the tables that new results may
 * have changed. A goal of a match in play can only change the live table of its stage. Each result updates the aggregates
 * (see `GameSet`), so that a result costs the same at the end of a season as at its beginning.
 */
export class SeasonTables {
  readonly #competitionId: number;
  readonly #seasonId: number;
  readonly #rules: CompetitionRules;
  /** Stages by id; null is no stage. */
  readonly #stages = new Map<number | null, Stage>();
  /** The current stage and group of each match. */
  readonly #groups = new Map<number, StageGroup>();
  /** The previous game of each match that changed since the last derivation; null if there was none. */
  readonly #before = new Map<number, GroupedGame | null>();
  /** All matches between two known teams, as of the last derivation. */
  readonly #games = new GameSet();
  readonly #stale = new Set<TableKind>();
  readonly #flags = new Map<Flag['reason'], number>();
  /** The corrections of the last derivation, by stage. */
  #corrections: Corrections = new Map();

  constructor(competitionId: number, seasonId: number, rules: CompetitionRules) {
    this.#competitionId = competitionId;
    this.#seasonId = seasonId;
    this.#rules = rules;
  }

  /** Restores the season from its results, whose tables are derived already. */
  static restore(
    competitionId: number,
    seasonId: number,
    rules: CompetitionRules,
    results: Iterable<SeasonResult>,
  ): SeasonTables {
    const tables = new SeasonTables(competitionId, seasonId, rules);
    for (const result of results) tables.apply(result);
    tables.#settle();
    tables.#corrections = tables.#correctionsInForce();
    for (const stage of tables.#stages.values()) stage.stale.clear();
    tables.#stale.clear();
    return tables;
  }

  /**
   * Applies the result of a match of this season. Results come in the order of their log; the last one counts. A match is in
   * one group: a result in another group moves it there. Returns false for the known version, and for a removal from a group
   * that the match is not in.
   */
  apply(result: SeasonResult): boolean {
    const { event_id, version } = result;
    const stage = this.#stageOf(result.stage_id);
    const group = groupOf(stage, result.group_id);
    const known = group.matches.get(event_id);
    if (result.removed) {
      if (known === undefined) return false;
      this.#leave(event_id);
      return true;
    }
    if (known?.version === version) return false;
    this.#leave(event_id);
    const game = readGame(result, this.#rules);
    const flags = flagsOf(result, game);
    for (const { reason } of flags) this.#count(reason, 1);
    group.matches.set(event_id, { version, game, flags });
    this.#groups.set(event_id, { stage, group });
    return true;
  }

  /** Has the next `derive` return every table, e.g. because the rules may have changed. */
  invalidate(): void {
    for (const { stale } of this.#stages.values()) addAll(stale, OF_STAGE);
    addAll(this.#stale, OF_SEASON);
  }

  /** Returns the current number of matches with a part that could not be counted, by reason. */
  flags(): ReadonlyMap<Flag['reason'], number> {
    return new Map(this.#flags);
  }

  /** Returns the tables that may have changed since the last call, in a fixed order. */
  derive(): DerivedTable[] {
    this.#settle();
    const corrections = this.#correctionsInForce();
    const hasAny = corrections.size + this.#corrections.size > 0;
    if (hasAny && !isDeepStrictEqual(corrections, this.#corrections)) {
      for (const { stale } of this.#stages.values()) addAll(stale, OF_STAGE);
    }
    this.#corrections = corrections;
    const inputs: ScopeInputs = { rules: this.#rules, games: this.#gamesByStage(), corrections };
    const derived = byId(this.#stages).flatMap(([id, stage]) => this.#stageTables(id, stage, inputs));
    return [...derived, ...this.#seasonTables()];
  }

  #stageTables(id: number | null, { stale }: Stage, inputs: ScopeInputs): DerivedTable[] {
    const kinds = takeAll(stale, OF_STAGE);
    if (kinds.length === 0) return [];
    const object = this.#objectOf(id);
    const rules = { ...rulesOfStage(this.#rules, id), corrections: inputs.corrections.get(id) ?? [] };
    const derived = Array.from(scopesOf(inputs, id), ([groupId, scope]) => ({
      id: groupId,
      tables: tablesOf(scope, rules, kinds),
    }));
    return kinds.map((kind) => derivedTable(kind, object, derived));
  }

  #gamesByStage(): SeasonGames {
    const ofGroups = ({ groups }: Stage) => new Map(Array.from(groups, ([id, { games }]) => [id, games]));
    return new Map(Array.from(this.#stages, ([id, stage]) => [id, ofGroups(stage)]));
  }

  /** Returns the corrections in force by the stage that each belongs to. */
  #correctionsInForce(): Corrections {
    const { corrections } = this.#rules;
    if (corrections.length === 0) return new Map();
    const inForce = correctionsAt(this.#rules, this.#day());
    return correctionsByStage(inForce, this.#seasonId, this.#gamesByStage());
  }

  /** Returns the tables of persons, results and overall stats. */
  #seasonTables(): DerivedTable[] {
    const kinds = takeAll(this.#stale, OF_SEASON);
    if (kinds.length === 0) return [];
    const { of, without_stages } = this.#rules.rankings;
    const stages = byId(this.#stages).filter(([id]) => id === null || !without_stages.includes(id));
    const ofPersons = kinds.filter((kind) => TABLE_TYPES.get(kind)?.ranks === 'person');
    const others = kinds.filter((kind) => !ofPersons.includes(kind));
    const season = (some: readonly TableKind[], games: GameSet) =>
      this.#ungrouped(some, this.#season(), games);
    if (of === 'season') {
      const counted =
        stages.length === this.#stages.size ? this.#games : unionOf(stages.map(([, stage]) => stage));
      return [...season(ofPersons, counted), ...season(others, this.#games)];
    }
    return [
      // The season has none; where other rules gave it some, they become empty.
      ...season(ofPersons, new GameSet()),
      ...stages.flatMap(([id, stage]) => this.#ungrouped(ofPersons, this.#objectOf(id), unionOf([stage]))),
      ...season(others, this.#games),
    ];
  }

  #ungrouped(kinds: readonly TableKind[], object: TableObject, games: GameSet): DerivedTable[] {
    const rules = { ...this.#rules, corrections: [] };
    const tables = tablesOf({ games, teams: null, start: null }, rules, kinds);
    const groups = games.size === 0 ? [] : [{ id: null, tables }];
    return kinds.map((kind) => derivedTable(kind, object, groups));
  }

  /**
   * Returns the day whose corrections are in force: the last one on which a match that counts began; null, for all corrections,
   * once no match is left to play. The day follows from results, not from a clock, so that a replay shows the tables of its day.
   */
  #day(): string | null {
    if (this.#rules.corrections.every(({ from }) => from === null)) return null;
    if (this.#games.view(TO_COME).size === 0) return null;
    return this.#games.view(BEGUN).last()?.start.slice(0, 10) ?? NO_DAY;
  }

  /** Removes a match from its group, if it is in one. */
  #leave(eventId: number): void {
    const current = this.#groups.get(eventId);
    const known = current?.group.matches.get(eventId);
    if (!this.#before.has(eventId)) {
      this.#before.set(eventId, current === undefined ? null : { ...current, game: known?.game ?? null });
    }
    for (const { reason } of known?.flags ?? []) this.#count(reason, -1);
    current?.group.matches.delete(eventId);
    this.#groups.delete(eventId);
  }

  /** Applies the changed results to the games, each match once, however many results it had. */
  #settle(): void {
    for (const [eventId, before] of this.#before) {
      const current = this.#groups.get(eventId);
      const game = current?.group.matches.get(eventId)?.game ?? null;
      if (before?.game) {
        before.group.games.remove(before.game);
        this.#games.remove(before.game);
      }
      if (current !== undefined && game !== null) {
        current.group.games.add(game);
        this.#games.add(game);
      }
      if (before !== null && before.group === current?.group) {
        this.#touch(before.stage, touchedBy(before.game, game));
      } else {
        if (before !== null) this.#touch(before.stage, touchedBy(before.game, null));
        if (current !== undefined) this.#touch(current.stage, touchedBy(null, game));
      }
    }
    this.#before.clear();
  }

  #touch(stage: Stage, kinds: readonly TableKind[]): void {
    addAll(stage.stale, kinds);
    addAll(this.#stale, kinds);
    for (const id of stage.after) addAll(this.#stages.get(id)?.stale ?? new Set(), kinds);
  }

  #count(reason: Flag['reason'], times: 1 | -1): void {
    this.#flags.set(reason, (this.#flags.get(reason) ?? 0) + times);
  }

  #objectOf(stageId: number | null): TableObject {
    return stageId === null ? this.#season() : { ...this.#season(), type: 'stage', id: stageId };
  }

  #season(): TableObject {
    return {
      type: 'season',
      id: this.#seasonId,
      competitionId: this.#competitionId,
      seasonId: this.#seasonId,
    };
  }

  #stageOf(id: number | null): Stage {
    const known = this.#stages.get(id);
    if (known !== undefined) return known;
    const stage: Stage = { groups: new Map(), stale: new Set(), after: stagesAfter(this.#rules, id) };
    this.#stages.set(id, stage);
    return stage;
  }
}

function groupOf({ groups }: Stage, id: number | null): Group {
  const known = groups.get(id);
  if (known !== undefined) return known;
  const group: Group = { matches: new Map(), games: new GameSet() };
  groups.set(id, group);
  return group;
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
    type,
    object,
    active: withRows.length > 0,
    body: standingsBody({ id, type, object, groups: withRows }),
  };
}

/** Returns the games of all groups of some stages. */
function unionOf(stages: readonly Stage[]): GameSet {
  return gameSet(stages.flatMap(({ groups }) => [...groups.values()].flatMap(({ games }) => [...games])));
}

function addAll<T>(set: Set<T>, items: Iterable<T>): void {
  for (const item of items) set.add(item);
}

/** Returns the items that are in the set, and empties the set. */
function takeAll<T>(set: Set<T>, items: readonly T[]): T[] {
  const taken = items.filter((item) => set.has(item));
  set.clear();
  return taken;
}
