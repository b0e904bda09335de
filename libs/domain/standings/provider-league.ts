/** League tables of the provider: read for the corrections that it applies, and compared with the derived ones. */
import type {
  ProviderCorrection,
  ProviderLeague,
  ProviderLeagueGroup,
  ProviderLeagueRow,
  Standings,
  StandingsGroup,
} from '#records/types.ts';
import { compareFigures } from '../sorted.ts';

/** The type of league tables. */
export const LEAGUE_TYPE_ID = 2;

type DerivedLeague = Pick<Standings, 'standings_id' | 'object_type' | 'object_id' | 'groups'>;

/** How a team's row differs: `matches` counted; `points` of as many; `rank` while all agree; `team`: in one table alone. */
export const DIFFERENCE_KINDS = ['matches', 'points', 'rank', 'team'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** A difference. `ours` and `theirs`: matches, points or rank; null where the team has no row. */
export type TableDifference = {
  readonly participant_id: number;
  readonly name: string;
  readonly kind: DifferenceKind;
  readonly ours: number | null;
  readonly theirs: number | null;
};

/** A group of the provider's table beside the derived group that has its teams. */
export type ComparedGroup = {
  readonly standings_id: number;
  /** Id of the derived group, as text; '' for none. */
  readonly group: string;
  readonly corrections: readonly ProviderCorrection[];
  readonly differences: readonly TableDifference[];
};

/** The parts of a correction that people read; unknown ones are '', null or undefined. */
export type CorrectionWords = {
  readonly participant_name?: string | null | undefined;
  readonly value?: string | number | null | undefined;
  readonly reason?: string | null | undefined;
};

/** Says a correction of a table, such as `Everton: -6 points (Financial issues)`. */
export function correctionText({ participant_name, value, reason }: CorrectionWords): string {
  return `${participant_name ? `${participant_name}: ` : ''}${value ?? '?'} points${reason ? ` (${reason})` : ''}`;
}

/** Says how a team's row of the provider's table differs, such as `Everton: 48 points there, 54 here`. */
export function differenceText(difference: Omit<TableDifference, 'participant_id'>): string {
  const { kind, name, ours, theirs } = difference;
  if (kind === 'rank') return `${name}: rank ${theirs} there, ${ours} here`;
  if (kind !== 'team') return `${name}: ${theirs} ${kind} there, ${ours} here`;
  return ours === null ? `${name}: only there` : `${name}: only here`;
}

/** Compares the provider's table with the derived ones of its season. A group none of whose teams we rank is left out. */
export function compareLeague(theirs: ProviderLeague, derived: readonly DerivedLeague[]): ComparedGroup[] {
  const isSameObject = ({ object_type, object_id }: DerivedLeague) =>
    object_type === theirs.object_type && object_id === theirs.object_id;
  const candidates = derived.flatMap((league) =>
    league.groups.map((group) => ({ league, group: derivedGroup(group) })),
  );
  return theirs.groups.flatMap((group) => {
    const teams = new Set(group.rows.map(({ id }) => id));
    // The same object and group come first; a season's table is compared with the stage that has most of its teams and matches.
    const [best] = candidates
      .filter(({ group: own }) => own.rows.some(({ id }) => teams.has(id)))
      .map(({ league, group: own }) => ({
        league,
        group: own,
        by: [
          Number(isSameObject(league)),
          Number(own.id === group.id),
          own.rows.filter(({ id }) => teams.has(id)).length,
          own.rows.reduce((sum, { mp }) => sum + (mp ?? 0), 0),
        ],
      }))
      .sort((a, b) => compareFigures(a.by, b.by));
    if (best === undefined) return [];
    return [
      {
        standings_id: best.league.standings_id,
        group: best.group.id,
        corrections: group.corrections,
        differences: differencesOf(best.group.rows, group.rows),
      },
    ];
  });
}

function differencesOf(
  ours: readonly ProviderLeagueRow[],
  theirs: readonly ProviderLeagueRow[],
): TableDifference[] {
  const known = new Map(theirs.map((row) => [row.id, row]));
  const own = new Set(ours.map(({ id }) => id));
  const found = ours.flatMap((row): TableDifference[] => {
    const other = known.get(row.id);
    if (other === undefined) return [difference('team', row, row.rank, null)];
    if (differs(row.mp, other.mp)) return [difference('matches', row, row.mp, other.mp)];
    return differs(row.pts, other.pts) ? [difference('points', row, row.pts, other.pts)] : [];
  });
  const more = theirs.filter(({ id }) => !own.has(id)).map((row) => difference('team', row, null, row.rank));
  const all = [...found, ...more];
  return all.length > 0 ? all : ranksOf(ours, known);
}

/** Returns the teams that the provider ranks above one that ranks above them here. Equal teams may be in any order. */
function ranksOf(
  ours: readonly ProviderLeagueRow[],
  known: ReadonlyMap<number, ProviderLeagueRow>,
): TableDifference[] {
  const theirs = ({ id }: ProviderLeagueRow) => known.get(id)?.rank ?? null;
  const ranked = ours.filter((row) => theirs(row) !== null);
  return ranked.flatMap((row) => {
    const isOvertaken = ranked.some(
      (other) => (other.rank ?? 0) < (row.rank ?? 0) && (theirs(other) ?? 0) > (theirs(row) ?? 0),
    );
    return isOvertaken ? [difference('rank', row, row.rank, theirs(row))] : [];
  });
}

function difference(
  kind: DifferenceKind,
  { id, name }: ProviderLeagueRow,
  ours: number | null,
  theirs: number | null,
): TableDifference {
  return { participant_id: id, name: name ?? '', kind, ours, theirs };
}

/** Whether two known values differ. */
function differs(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a !== b;
}

function derivedGroup({ id, rows }: StandingsGroup): Omit<ProviderLeagueGroup, 'corrections'> {
  return {
    id: id === null ? '' : String(id),
    rows: rows.flatMap(({ participant, rank, played, points }): ProviderLeagueRow[] =>
      participant.id === null
        ? []
        : [{ id: participant.id, name: participant.name, rank, mp: played, pts: points }],
    ),
  };
}
