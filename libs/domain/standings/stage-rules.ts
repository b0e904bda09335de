/** The rules of one stage, and which corrections belong to it. */
import type { Carried, CompetitionRules } from './competition-rules.ts';
import type { GameSet } from './game-set.ts';

type Correction = CompetitionRules['corrections'][number];

/** The games of a season by stage, then by group; null is no stage, or no group. */
export type SeasonGames = ReadonlyMap<number | null, ReadonlyMap<number | null, GameSet>>;

/** The rules of one stage. `carried`: what it starts with; null: nothing. */
export type StageRules = CompetitionRules & { readonly carried: Carried | null };

/** Returns the rules of a stage: those of the file, with what its own entry replaces. */
export function rulesOfStage(rules: CompetitionRules, stageId: number | null): StageRules {
  const own = rules.stages.find(({ stage_ids }) => stage_ids.some((one) => one === stageId));
  return {
    ...rules,
    points: own?.points ?? rules.points,
    tie_break: own?.tie_break ?? rules.tie_break,
    zones: own?.zones ?? rules.zones,
    curtailed: own?.curtailed ?? rules.curtailed,
    split: own?.split ?? rules.split,
    conferences: own?.conferences ?? rules.conferences,
    carried: own?.carried ?? null,
  };
}

/** Returns the stages whose tables start with the games of a stage, directly or through another stage. */
export function stagesAfter(rules: CompetitionRules, stageId: number | null): number[] {
  const found = new Set<number>();
  const visit = (from: number | null) => {
    for (const { stage_ids, carried } of rules.stages) {
      if (!carried?.from.some((one) => one === from)) continue;
      for (const id of stage_ids) {
        if (found.has(id)) continue;
        found.add(id);
        visit(id);
      }
    }
  };
  visit(stageId);
  return [...found];
}

/** Returns the corrections of a season with their stages; one that names none belongs to the stage that the team began last by its first day. */
export function correctionsOfStages(
  corrections: readonly Correction[],
  seasonId: number,
  games: SeasonGames,
): Correction[] {
  return corrections.flatMap((correction) => {
    const stage_id = correction.stage_id ?? stageOf(correction, games);
    const isOfSeason = correction.season_id === null || correction.season_id === seasonId;
    return isOfSeason && stage_id !== undefined ? [{ ...correction, stage_id }] : [];
  });
}

/** Returns the stage of a correction that names none; undefined while its team has no games. */
function stageOf({ participant_id, from }: Correction, games: SeasonGames): number | null | undefined {
  const begun = Array.from(games, ([stage, groups]) => ({ stage, start: firstStart(groups, participant_id) }))
    .filter((entry): entry is { stage: number | null; start: string } => entry.start !== null)
    .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : compareStages(a.stage, b.stage)));
  const onDay = begun.findLast(({ start }) => start.slice(0, 10) <= (from ?? ''));
  return (onDay ?? begun[0])?.stage;
}

/** Compares ids of stages or groups, null first. */
export function compareStages(a: number | null, b: number | null): number {
  return (a ?? Number.NEGATIVE_INFINITY) - (b ?? Number.NEGATIVE_INFINITY);
}

/** Returns when a team's first game of a stage begins; null if it has none. */
function firstStart(groups: ReadonlyMap<number | null, GameSet>, team: number): string | null {
  let first: string | null = null;
  for (const games of groups.values()) {
    const start = games.ofTeam(team)[0]?.start;
    if (start !== undefined && (first === null || start < first)) first = start;
  }
  return first;
}
