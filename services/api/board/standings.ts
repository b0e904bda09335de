import type { z } from 'zod';
import { fold } from '#domain/fold.ts';
import type { KnockOutStage, ShownState, TableEntry } from '#views/store/board-view.ts';
import { boardMatch } from './board-match.ts';
import { type Bracket, bracketOf } from './bracket.ts';
import type { standingsQuery } from './query.ts';
import type { ReadView } from './scoped-view.ts';
import { phaseOf } from './shown/match.ts';
import { isOfPlayers, readTable } from './tables.ts';

export type SeasonStandings = NonNullable<ReturnType<typeof seasonStandings>>;

export type ShownStandings = ReturnType<typeof shownStandings>[number];

const LEAGUE = 2;
const NOWHERE = { competition_id: null, season_id: null, stage_id: null, group_id: null };

/**
 * The tables of a season, of the kind of the one that is asked for, else the league's, else its knock-out stages. Without a
 * season, the ranking that is asked for, else of the first season. Null for a season, a table or a bracket that is not there. `now`: Unix
 * seconds.
 */
export function seasonStandings(
  view: ReadView,
  { season: seasonId, table: tableId, show, q }: z.output<typeof standingsQuery>,
  now: number,
) {
  const seasons = view.seasons();
  const rankings = view.rankings();
  const ranked = seasons.length === 0 || rankings.some(({ standings_id }) => standings_id === tableId);
  const unasked = ranked ? null : seasons[0];
  const season = seasonId === undefined ? unasked : seasons.find(({ season_id }) => season_id === seasonId);
  if (season === undefined) return null;
  const knockOuts = season === null ? [] : view.knockOuts(season.season_id);
  const tables = season === null ? rankings : view.tables(season.season_id);
  const asked =
    tableId === undefined
      ? (tables.find(({ type_id }) => type_id === LEAGUE) ?? tables[0])
      : tables.find(({ standings_id }) => standings_id === tableId);
  if (asked === undefined && tableId !== undefined) return null;
  if (show === 'knock-out' && knockOuts.length === 0) return null;
  const showsBracket = knockOuts.length > 0 && (show === 'knock-out' || asked === undefined);
  const shown = tables
    .filter(({ type_id }) => !showsBracket && type_id === asked?.type_id)
    .sort((a, b) => a.object_id - b.object_id)
    .flatMap((entry) => shownStandings(view, entry));
  const ofPlayers = shown.some(({ table }) => table.groups.some(isOfPlayers));
  return {
    seasons,
    /** The tables of no season: the provider's rankings. */
    rankings,
    /** Null where rankings are shown, or nothing is. */
    season,
    /** All of the season's, or all rankings. */
    tables,
    hasBracket: knockOuts.length > 0,
    bracket: showsBracket ? seasonBracket(view, knockOuts, now) : null,
    /** Words of the names of players or of their teams that are searched; null where the tables are of teams. */
    search: ofPlayers ? q : null,
    /** The tables of the kind that was asked for: each stage has its own. */
    shown: ofPlayers && q !== '' ? shown.map((one) => searched(one, fold(q).split(' '))) : shown,
  };
}

/** The rows whose player or team has all the words. */
function searched(standings: ShownStandings, words: readonly string[]): ShownStandings {
  const groups = standings.table.groups.map((group) => ({
    ...group,
    participants: group.participants.filter(({ name, subparticipant_name }) => {
      const names = fold(`${name} ${subparticipant_name}`);
      return words.every((word) => names.includes(word));
    }),
  }));
  return { ...standings, table: { groups: groups.filter(({ participants }) => participants.length > 0) } };
}

/** The matches of a season's knock-out stages that are played now. */
export function liveKnockOuts(view: ReadView, seasonId: number): ShownState[] {
  const states = view.knockOuts(seasonId).flatMap(({ matches }) => matches.map(({ state }) => state));
  return states.filter((state) => phaseOf(state) === 'live');
}

function seasonBracket(view: ReadView, stages: readonly KnockOutStage[], now: number): Bracket {
  return bracketOf(
    stages.map(({ stage_id, name, matches }) => ({
      stage_id,
      name,
      matches: matches.map(({ state, ...ofTie }) => ({
        match: boardMatch(state, view, now),
        home_id: state.home?.id ?? null,
        away_id: state.away?.id ?? null,
        ...ofTie,
      })),
    })),
  );
}

function shownStandings(view: ReadView, entry: TableEntry) {
  const record = view.table(entry.standings_id);
  if (record === null) return [];
  const nameOf = (level: 'stage' | 'group', id: number | null): string | null =>
    view.place({ ...NOWHERE, [`${level}_id`]: id })[level];
  const { groups } = readTable(record);
  return [
    {
      entry,
      /** The name of its stage; null where it is the season's, or the stage has no name. */
      stage: nameOf('stage', entry.object_type === 'stage' ? entry.object_id : null),
      // A table that was derived knows its groups by their ids alone.
      table: {
        groups: groups.map((group) => ({ ...group, name: group.name || (nameOf('group', group.id) ?? '') })),
      },
    },
  ];
}
