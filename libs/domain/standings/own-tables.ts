/** The tables that rules define beside those of each stage: over several stages, or of the teams at one place of each group. */
import type { CompetitionRules, OwnTable } from './competition-rules.ts';
import { GameSet, PLAYED } from './game-set.ts';
import { rankTable, seasonOf } from './standing.ts';
import {
  byId,
  correctedRules,
  correctionsOf,
  type ScopeInputs,
  scopesOf,
  type TableScope,
  teamsOf,
} from './table-scope.ts';
import { type Table, tablesOf } from './tables.ts';

/** Whether a table counts matches of a stage. */
export function hasStage({ stage_ids }: OwnTable, stageId: number | null): boolean {
  return stage_ids?.some((one) => one === stageId) ?? true;
}

/** Returns a table; without rows while it has no team. */
export function ownTable(inputs: ScopeInputs, own: OwnTable): Table {
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
    const { games, start } = scope;
    const season = seasonOf(games.view(PLAYED), teamsOf(scope), rules, start);
    return { games, ranks: rankTable(season, season.now) };
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
