import { isDeepStrictEqual } from 'node:util';
import type { DatedStandings, StandingsGroup } from '#records/types.ts';
import { type VersionStamp, wentBack } from '#trading/trading.ts';
import { TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import { type CompetitionRules, MAX_OWN_TABLES, type OwnTable } from './competition-rules.ts';
import { BEGUN, GameSet } from './game-set.ts';
import { type Flag, flagsOf, type Game, readGame } from './games.ts';
import { correctionsAt, rankTable } from './standing.ts';
import { standingsId, type TableObject } from './table-id.ts';
import {
  byId,
  correctedRules,
  correctionsOf,
  correctionsOfStages,
  playedSeason,
  type ScopeInputs,
  type SeasonGames,
  scopesOf,
  stagesAfter,
  type TableScope,
} from './table-scope.ts';
import { OF_POINTS, type Table, tablesOf, touchedBy } from './tables.ts';
import type { SeasonResult } from './types.ts';

/** A table in its current state. */
export type DerivedTable = {
  readonly id: number;
  readonly type: TableType;
  /** That of the type, or the one that the rules give. */
  readonly name: string;
  readonly object: TableObject;
  /** With rows, and with the corrections up to the last day on which a match that counts began. None: the table does not exist. */
  readonly groups: StandingsGroup[];
  /** The groups by the same results from later days on, as the rules know corrections of these days; in the order of days. */
  readonly later: DatedStandings[];
};

type Stage = {
  readonly id: number | null;
  /** The tables to derive again. */
  readonly stale: Set<TableKind>;
  /** The stages whose tables start with its games. */
  readonly after: readonly number[];
};
type KnownResult = VersionStamp & {
  readonly stage: Stage;
  /** Null is no group. */
  readonly group: number | null;
  readonly game: Game | null;
  readonly flags: readonly Flag[];
};
type Corrections = ScopeInputs['corrections'];
/** The corrections in force from a day on; the first ones of a season: now, without a day. */
type DatedCorrections = { readonly day: string; readonly corrections: Corrections };
type NamedGroup = { readonly id: number | null; readonly tables: ReadonlyMap<TableKind, Table> };
/** Tables of teams belong to a stage, group by group; those of persons, results and overall stats to the season. */
const OF_STAGE = [...TABLE_TYPES].filter(([, { ranks }]) => ranks === 'team').map(([kind]) => kind);
const OF_SEASON = [...TABLE_TYPES].filter(([, { ranks }]) => ranks !== 'team').map(([kind]) => kind);
const OF_PERSONS = [...TABLE_TYPES].filter(([, { ranks }]) => ranks === 'person').map(([kind]) => kind);
const NO_DAY = '';
const NO_CORRECTIONS: readonly [DatedCorrections] = [{ day: NO_DAY, corrections: [] }];
const OWN_IDS = Array.from({ length: MAX_OWN_TABLES }, (_, at) => at + 1);

/** The tables of one season, from the last result of each match. */
export class SeasonTables {
  readonly #competitionId: number;
  readonly #seasonId: number;
  readonly #rules: CompetitionRules;
  /** Stages by id; null is no stage. */
  readonly #stages = new Map<number | null, Stage>();
  /** The last result of each match. */
  readonly #matches = new Map<number, KnownResult>();
  /** The previous result of each match that changed since the last derivation; undefined if there was none. */
  readonly #before = new Map<number, KnownResult | undefined>();
  /** All matches between two known teams, as of the last derivation, and the same by stage and group. */
  #games = new GameSet();
  #byStage: SeasonGames = new Map();
  readonly #stale = new Set<TableKind>();
  /** The tables of the rules to derive again, by their numbers there. */
  readonly #staleOwn = new Set<number>();
  readonly #flags = new Map<Flag['reason'], number>();
  /** The corrections of the last derivation. */
  #corrections: readonly DatedCorrections[];

  /** `results`: those by which all tables are derived already. */
  constructor(
    competitionId: number,
    seasonId: number,
    rules: CompetitionRules,
    results: Iterable<SeasonResult> = [],
  ) {
    this.#competitionId = competitionId;
    this.#seasonId = seasonId;
    this.#rules = rules;
    for (const result of results) this.apply(result);
    this.#settle();
    this.#corrections = this.#datedCorrections();
    for (const { stale } of this.#stages.values()) stale.clear();
    this.#stale.clear();
    this.#staleOwn.clear();
  }

  /** Applies a result, in the order of their log; the last one counts, in its group alone. Returns false for one that is known. */
  apply(result: SeasonResult): boolean {
    const { event_id, version, cause, group_id: group } = result;
    const stage = this.#stageOf(result.stage_id);
    const known = this.#matches.get(event_id);
    const isHere = known?.stage === stage && known.group === group;
    if (result.removed ? !isHere : isHere && known.version === version) return false;
    this.#leave(event_id);
    if (result.removed) return true;
    const game = readGame(result, this.#rules);
    const flags = flagsOf(result, game);
    for (const { reason } of flags) this.#count(reason, 1);
    this.#matches.set(event_id, { version, cause: { offset: cause.offset }, stage, group, game, flags });
    return true;
  }

  /** Returns the known version of a match that a result denies, as `wentBack` has it; null where it denies none. */
  deniedBy(result: SeasonResult): number | null {
    const known = this.#matches.get(result.event_id);
    return known !== undefined && wentBack(known, result) ? known.version : null;
  }

  /** Has the next `derive` return every table, e.g. because the rules may have changed. */
  invalidate(): void {
    for (const { stale } of this.#stages.values()) addAll(stale, OF_STAGE);
    addAll(this.#stale, OF_SEASON);
    // The season has no others, also where it had some by former rules.
    addAll(this.#staleOwn, OWN_IDS);
  }

  /** Returns the current number of matches with a part that could not be counted, by reason. */
  flags(): ReadonlyMap<Flag['reason'], number> {
    return new Map(this.#flags);
  }

  /** Returns the tables that may have changed since the last call, in a fixed order. */
  derive(): DerivedTable[] {
    this.#settle();
    const dated = this.#datedCorrections();
    if (!isDeepStrictEqual(dated, this.#corrections)) {
      for (const { stale } of this.#stages.values()) addAll(stale, OF_STAGE);
      addAll(
        this.#staleOwn,
        this.#rules.tables.map(({ id }) => id),
      );
    }
    this.#corrections = dated;
    const inputs = { rules: this.#rules, games: this.#byStage };
    const derived = byId(this.#stages).flatMap(([id, stage]) => this.#stageTables(id, stage, inputs));
    return [...derived, ...this.#seasonTables(), ...this.#ownTables(inputs)];
  }

  #stageTables(
    id: number | null,
    { stale }: Stage,
    inputs: Omit<ScopeInputs, 'corrections'>,
  ): DerivedTable[] {
    const kinds = takeAll(stale, OF_STAGE);
    if (kinds.length === 0) return [];
    const object = this.#objectOf(id);
    const ofPoints = kinds.filter((kind) => OF_POINTS.has(kind));
    const dated = this.#corrections.map(({ day, corrections }) => {
      const rules = correctedRules({ rules: this.#rules, corrections }, id);
      const groups = Array.from(scopesOf({ ...inputs, corrections }, id), ([groupId, scope]) => ({
        id: groupId,
        tables: tablesOf(scope, rules, day === NO_DAY ? kinds : ofPoints),
      }));
      return { day, groups };
    });
    return kinds.map((kind) => derivedTable(kind, object, OF_POINTS.has(kind) ? dated : dated.slice(0, 1)));
  }

  #ownTables(inputs: Omit<ScopeInputs, 'corrections'>): DerivedTable[] {
    return takeAll(this.#staleOwn, OWN_IDS).map((id) => {
      const own = this.#rules.tables.find((one) => one.id === id);
      const dated = this.#corrections.map(({ day, corrections }) => {
        const table = own && ownTable({ ...inputs, corrections }, own);
        return { day, groups: table ? [{ id: null, tables: new Map([['league' as const, table]]) }] : [] };
      });
      return derivedTable('league', this.#objectOf(), dated, { id, name: own?.name });
    });
  }

  /** Returns the corrections in force, then those of each later day, counted from the last match: no clock (docs/decisions/0045). */
  #datedCorrections(): readonly DatedCorrections[] {
    const all = this.#rules.corrections;
    if (all.length === 0) return NO_CORRECTIONS;
    const today = this.#games.view(BEGUN).last()?.start ?? NO_DAY;
    const later = new Set(all.map(({ from }) => from ?? NO_DAY).filter((day) => day > today));
    return [NO_DAY, ...[...later].sort()].map((day) => {
      const inForce = correctionsAt(this.#rules, day === NO_DAY ? today : day);
      return { day, corrections: correctionsOfStages(inForce, this.#seasonId, this.#byStage) };
    });
  }

  /** Returns the tables of persons, results and overall stats. */
  #seasonTables(): DerivedTable[] {
    const kinds = takeAll(this.#stale, OF_SEASON);
    if (kinds.length === 0) return [];
    const { of, without_stages } = this.#rules.rankings;
    const stages = byId(this.#stages).filter(([id]) => !without_stages.some((one) => one === id));
    const ofPersons = kinds.filter((kind) => OF_PERSONS.includes(kind));
    const others = kinds.filter((kind) => !ofPersons.includes(kind));
    const season = (some: readonly TableKind[], games: GameSet) =>
      this.#ungrouped(some, this.#objectOf(), games);
    if (of === 'season') {
      const counted =
        stages.length === this.#stages.size ? this.#games : this.#gamesOf(stages.map(([id]) => id));
      return [...season(ofPersons, counted), ...season(others, this.#games)];
    }
    return [
      // The season has none; where other rules gave it some, they become empty.
      ...season(ofPersons, new GameSet()),
      ...stages.flatMap(([id]) => this.#ungrouped(ofPersons, this.#objectOf(id), this.#gamesOf([id]))),
      ...season(others, this.#games),
    ];
  }

  #ungrouped(kinds: readonly TableKind[], object: TableObject, games: GameSet): DerivedTable[] {
    const tables = tablesOf({ games, teams: null, start: null }, this.#rules, kinds);
    const groups = games.size === 0 ? [] : [{ id: null, tables }];
    return kinds.map((kind) => derivedTable(kind, object, [{ day: NO_DAY, groups }]));
  }

  #leave(eventId: number): void {
    const known = this.#matches.get(eventId);
    if (!this.#before.has(eventId)) this.#before.set(eventId, known);
    for (const { reason } of known?.flags ?? []) this.#count(reason, -1);
    this.#matches.delete(eventId);
  }

  /** Applies the changed results to the games, each match once, however many results it had. */
  #settle(): void {
    for (const [eventId, before] of this.#before) {
      const current = this.#matches.get(eventId);
      if (before?.stage === current?.stage && before?.group === current?.group) {
        if (before && current) this.#touch(before.stage, touchedBy(before.game, current.game));
      } else {
        if (before) this.#touch(before.stage, touchedBy(before.game, null));
        if (current) this.#touch(current.stage, touchedBy(null, current.game));
      }
    }
    if (this.#before.size > 0) this.#regroup();
    this.#before.clear();
  }

  #regroup(): void {
    const matches = [...this.#matches.values()];
    const gamesOf = (some: readonly KnownResult[]) => new GameSet(some.flatMap(({ game }) => game ?? []));
    const ofStage = Map.groupBy(matches, ({ stage }) => stage.id);
    this.#games = gamesOf(matches);
    this.#byStage = new Map(
      Array.from(ofStage, ([stage, some]) => {
        const groups = Map.groupBy(some, ({ group }) => group);
        return [stage, new Map(Array.from(groups, ([group, own]) => [group, gamesOf(own)]))];
      }),
    );
  }

  #gamesOf(stages: readonly (number | null)[]): GameSet {
    return new GameSet(
      stages.flatMap((id) => [...(this.#byStage.get(id)?.values() ?? [])].flatMap((set) => [...set])),
    );
  }

  #touch(stage: Stage, kinds: readonly TableKind[]): void {
    addAll(this.#stale, kinds);
    for (const id of [stage.id, ...stage.after]) {
      addAll(this.#stages.get(id)?.stale ?? new Set(), kinds);
      if (!kinds.includes('league')) continue;
      for (const own of this.#rules.tables) if (hasStage(own, id)) this.#staleOwn.add(own.id);
    }
  }

  #count(reason: Flag['reason'], times: 1 | -1): void {
    this.#flags.set(reason, (this.#flags.get(reason) ?? 0) + times);
  }

  /** Returns the object of the tables of a stage; without one that of the season. */
  #objectOf(stageId: number | null = null): TableObject {
    const [competitionId, seasonId] = [this.#competitionId, this.#seasonId];
    return { type: stageId === null ? 'season' : 'stage', id: stageId ?? seasonId, competitionId, seasonId };
  }

  #stageOf(id: number | null): Stage {
    const known = this.#stages.get(id);
    if (known !== undefined) return known;
    const stage: Stage = { id, stale: new Set(), after: stagesAfter(this.#rules, id) };
    this.#stages.set(id, stage);
    return stage;
  }
}

/** Returns a table now and from later days on, where it changes then. `own`: the number and name that the rules give it. */
function derivedTable(
  kind: TableKind,
  object: TableObject,
  dated: readonly { readonly day: string; readonly groups: readonly NamedGroup[] }[],
  own?: { readonly id: number; readonly name: string | undefined },
): DerivedTable {
  const type = TABLE_TYPES.get(kind) as TableType;
  const id = standingsId(kind, object, own?.id);
  const name = own?.name ?? type.type_name;
  const [now, ...later] = dated.map(({ day, groups }) => ({
    day,
    groups: groups.flatMap(({ id: groupId, tables }): StandingsGroup[] => {
      const table = tables.get(kind);
      return table === undefined || table.rows.length === 0 ? [] : [{ id: groupId, ...table }];
    }),
  })) as [DatedStandings, ...DatedStandings[]];
  const changes = later.filter(({ groups }, at) => !isDeepStrictEqual(groups, (later[at - 1] ?? now).groups));
  return { id, type, name, object, groups: now.groups, later: changes };
}

function addAll<T>(set: Set<T>, items: Iterable<T>): void {
  for (const item of items) set.add(item);
}

function takeAll<T>(set: Set<T>, items: readonly T[]): T[] {
  const taken = items.filter((item) => set.has(item));
  set.clear();
  return taken;
}

/** Whether a table counts matches of a stage. */
function hasStage({ stage_ids }: OwnTable, stageId: number | null): boolean {
  return stage_ids?.some((one) => one === stageId) ?? true;
}

/** Returns a table; without rows while it has no team. */
function ownTable(inputs: ScopeInputs, own: OwnTable): Table {
  const stages = byId(inputs.games).filter(([id]) => hasStage(own, id));
  const rules: CompetitionRules = {
    ...inputs.rules,
    tie_break: own.tie_break ?? inputs.rules.tie_break,
    zones: own.zones,
    split: null,
    corrections: stages.flatMap(([id]) => correctionsOf(inputs, id)),
  };
  const scope =
    own.place === null
      ? {
          games: new GameSet(stages.flatMap(([, groups]) => [...groups.values()].flatMap((set) => [...set]))),
          teams: null,
        }
      : teamsAt(
          own.place,
          stages.flatMap(([id]) => groupsOf(inputs, own, id)),
        );
  const table = tablesOf({ ...scope, start: null }, rules, ['league']).get('league') as Table;
  if (own.place === null) return table;
  // Before the last round other teams may have had the place.
  return { ...table, rows: table.rows.map((row) => ({ ...row, last_rank: null })) };
}

type RankedGroup = { readonly games: GameSet; readonly ranks: ReadonlyMap<number, number> };

/** Returns the ranked groups of a stage. Matches without a group are none, unless the table names the stage. */
function groupsOf(inputs: ScopeInputs, own: OwnTable, stageId: number | null): RankedGroup[] {
  const rules = correctedRules(inputs, stageId);
  return [...scopesOf(inputs, stageId)].flatMap(([group, scope]) => {
    if (group === null && own.stage_ids === null) return [];
    const season = playedSeason(scope, rules);
    return { games: scope.games, ranks: rankTable(season, season.now) };
  });
}

/** Returns the team at a place of each group, with its matches. Where equal teams share the place, nobody knows who it is: none. */
function teamsAt(place: number, groups: readonly RankedGroup[]): Pick<TableScope, 'games' | 'teams'> {
  const found = groups.flatMap(({ games, ranks }) => {
    const at = [...ranks].filter(([, rank]) => rank === place);
    return at.length === 1 ? at.map(([id]) => ({ id, games: games.ofTeam(id) })) : [];
  });
  return {
    games: new GameSet(new Set(found.flatMap(({ games }) => games))),
    teams: new Set(found.map(({ id }) => id)),
  };
}
