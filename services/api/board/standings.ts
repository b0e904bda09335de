import { z } from 'zod';
import { ZONE_COLOUR } from '#domain/standings/competition-rules.ts';
import { type ComparedGroup, LEAGUE_TYPE_ID } from '#domain/standings/provider-league.ts';
import { isOwnTable } from '#domain/standings/table-id.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import { boardMatch } from '#story/board-match.ts';
import type { KnockOutStage, SeasonEntry, TableEntry } from '#views/store/board-view.ts';
import { type Bracket, bracketOf } from './bracket.ts';
import type { standingsQuery } from './query.ts';
import type { ReadView } from './scoped-view.ts';

export type SeasonStandings = NonNullable<ReturnType<typeof seasonStandings>>;

export type ShownStandings = ReturnType<typeof shownStandings>[number];

/** Number of matches that changed last among which a season with tables is looked for. */
const MAX_RECENT = 50;

/** Whether a view has tables or knock-out stages of a season; null: rankings. */
export function hasTables(view: ReadView, seasonId: number | null): boolean {
  return seasonId === null
    ? view.standings.rankings().length > 0
    : view.seasons().some(({ season_id }) => season_id === seasonId);
}

/**
 * Returns the tables of a season: all of the requested table's type, by default the league tables, else the knock-out stages.
 * Without a season in the query: the requested ranking, or the season of the requested table, by default the one in play. Null when the season, the table or the
 * knock-out stages do not exist. `now`: Unix seconds.
 */
export function seasonStandings(
  view: ReadView,
  { season: seasonId, table: tableId, show }: z.output<typeof standingsQuery>,
  now: number,
  rulesOf?: RulesOf,
) {
  const seasons = view.seasons();
  const rankings = view.standings.rankings();
  const hasChosen = (tables: readonly TableEntry[]): boolean =>
    tables.some(({ standings_id }) => standings_id === tableId);
  const season =
    seasonId !== undefined
      ? seasons.find(({ season_id }) => season_id === seasonId)
      : seasons.length === 0 || hasChosen(rankings)
        ? null
        : (seasons.find(({ season_id }) => hasChosen(view.standings.ofSeason(season_id))) ??
          seasonInPlay(view, seasons, now));
  if (season === undefined) return null;
  const knockOuts = season === null ? [] : view.standings.knockOuts(season.season_id);
  const tables = season === null ? rankings : view.standings.ofSeason(season.season_id);
  const chosen =
    tableId === undefined
      ? (tables.find(({ type_id }) => type_id === LEAGUE_TYPE_ID) ?? tables[0])
      : tables.find(({ standings_id }) => standings_id === tableId);
  if ((chosen === undefined && tableId !== undefined) || (show !== undefined && knockOuts.length === 0))
    return null;
  const showsBracket = knockOuts.length > 0 && (show !== undefined || chosen === undefined);
  const isLeague = season !== null && chosen?.type_id === LEAGUE_TYPE_ID;
  const compared = isLeague ? view.leagues.compared(season.season_id) : [];
  const shown = tables
    .filter(({ type_id }) => !showsBracket && type_id === chosen?.type_id)
    .sort((a, b) => Number(isOwn(a)) - Number(isOwn(b)) || a.object_id - b.object_id)
    .flatMap((entry) => shownStandings(view, entry, compared));
  return {
    seasons,
    /** The provider's rankings, which belong to no season. */
    rankings,
    /** Null when rankings are shown, or nothing. */
    season,
    /** All tables of the season, or all rankings. */
    tables,
    hasBracket: knockOuts.length > 0,
    bracket: showsBracket ? seasonBracket(view, knockOuts, now, rulesOf) : null,
    /** The tables of the chosen type, one for each stage. */
    shown,
  };
}

/** Returns the season with the most live matches, else that of the match that changed last, else the first one. */
function seasonInPlay(view: ReadView, seasons: readonly SeasonEntry[], now: number): SeasonEntry | undefined {
  const live = Map.groupBy(view.matches.live(now), ({ season_id }) => season_id);
  const matchesOf = ({ season_id }: SeasonEntry): number => live.get(season_id)?.length ?? 0;
  const most = seasons.toSorted((a, b) => matchesOf(b) - matchesOf(a))[0];
  if (most !== undefined && matchesOf(most) > 0) return most;
  const last = view.matches
    .recent(MAX_RECENT)
    .flatMap((state) => seasons.find(({ season_id }) => season_id === state.season_id) ?? [])[0];
  return last ?? most;
}

function seasonBracket(
  view: ReadView,
  stages: readonly KnockOutStage[],
  now: number,
  rulesOf?: RulesOf,
): Bracket {
  const state = stages.flatMap(({ matches }) => matches)[0]?.state;
  const ties = state && rulesOf?.(state.competition_id ?? 0, state.season_id ?? 0).ties;
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
    ties,
  );
}

function isOwn(entry: TableEntry): boolean {
  return isOwnTable(entry.standings_id, entry);
}

function shownStandings(view: ReadView, entry: TableEntry, compared: readonly ComparedGroup[]) {
  const record = view.table(entry.standings_id);
  if (record === null) return [];
  const { object_type, object_id } = entry;
  const stage =
    object_type === 'stage' ? (view.catalogue.name('stage', object_id) ?? `Stage ${object_id}`) : null;
  const groups = readTable(record).groups.map((group) => ({
    ...group,
    // Tables that we derive have the ids of their groups, not the names.
    name: group.name || (view.catalogue.name('group', group.id) ?? ''),
    /** The provider's table of these teams; none where it was not read. */
    provider: compared.find(
      (one) => one.standings_id === entry.standings_id && one.group === String(group.id ?? ''),
    ),
  }));
  /** `heading`: what it is beside others of its type: its own name, or its stage; null when it covers the season. */
  return [{ entry, heading: isOwn(entry) ? entry.name : stage, table: { groups } }];
}

/** Parses tables in the provider's shape (`data.standings`). Missing fields and fields of another type become unknown, never an error. */

const digits = z.string().regex(/^-?\d+$/);
const number = z
  .union([z.number(), digits.transform(Number)])
  .nullable()
  .catch(null);
const text = z.union([z.string(), z.number()]).transform(String).catch('');
const cell = z.object({ code: text, short_name: text, name: text, value: text });

const row = z.object({
  id: number,
  name: text,
  rank: number,
  last_rank: number,
  zone_name: text,
  subparticipant_name: text,
  columns: z.array(cell).catch([]),
});
const zone = z.object({ name: text, colour: z.string().regex(ZONE_COLOUR).nullable().catch(null) });
const correction = z.object({ participant_name: text, value: text, reason: text });
const group = z.object({
  id: number,
  name: text,
  participants: z.array(row).catch([]),
  zones: z.array(zone).catch([]),
  corrections: z.array(correction).catch([]),
});
const schema = z.object({ groups: z.array(group).catch([]) });

export type ShownTable = z.infer<typeof schema>;
export type ShownGroup = ShownTable['groups'][number];
export type ShownRow = ShownGroup['participants'][number];
type ShownCell = ShownRow['columns'][number];

/** Parses a table. A record that is no table gets no groups. */
export function readTable(record: Readonly<Record<string, unknown>>): ShownTable {
  return schema.parse(record);
}

/** Whether the rows are players, with the names of their teams. */
export function isOfPlayers({ participants }: ShownGroup): boolean {
  return participants.some(({ subparticipant_name }) => subparticipant_name !== '');
}

/** Returns the value of a column; '' when the row does not have it. */
export function valueIn(row: ShownRow, code: string): string {
  return row.columns.find((column) => column.code === code)?.value ?? '';
}

/** Columns of the live table that the page does not show as columns: they describe the team's current match. */
const LIVE_COLUMNS: ReadonlySet<string> = new Set(['is_playing', 'home_result', 'away_result', 'event_id']);

/** Returns the columns to show, in the order in which the rows first have them. */
export function columnsOf({ participants }: ShownGroup): Omit<ShownCell, 'value'>[] {
  const columns = new Map<string, Omit<ShownCell, 'value'>>();
  for (const { code, short_name, name } of participants.flatMap((one) => one.columns)) {
    if (!LIVE_COLUMNS.has(code) && !columns.has(code)) columns.set(code, { code, short_name, name });
  }
  return [...columns.values()];
}

/** Returns the current match of a row's team by the live table; null when the team is not playing. */
export function currentMatchOf(row: ShownRow): { eventId: number; score: string } | null {
  const eventId = Number(valueIn(row, 'event_id'));
  if (valueIn(row, 'is_playing') !== 'yes' || !Number.isSafeInteger(eventId) || eventId <= 0) return null;
  return { eventId, score: `${valueIn(row, 'home_result')}–${valueIn(row, 'away_result')}` };
}

/** Returns the number of places that a row moved up (positive) or down since the previous round; null when unknown. */
export function movementOf({ rank, last_rank }: ShownRow): number | null {
  return rank === null || last_rank === null ? null : last_rank - rank;
}
