/** The league tables that rules give with the last results of matches, as text. Pure. */
import { bodyOn } from '#domain/standings/dated-table.ts';
import { type CorrectionWords, correctionText } from '#domain/standings/provider-league.ts';
import { SeasonTables } from '#domain/standings/season-tables.ts';
import type { MatchResult } from '#records/types.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { escapeLine } from '../../values.ts';

type Row = {
  readonly rank: number;
  readonly name: string;
  readonly zone_name: string;
  readonly columns: readonly { readonly code: string; readonly value: string | number }[];
};
type Body = {
  readonly groups: readonly {
    readonly id: string;
    readonly participants: readonly Row[];
    readonly corrections: readonly CorrectionWords[];
  }[];
};

const cellOf = (code: string) => (row: Row) => row.columns.find((one) => one.code === code)?.value ?? null;
const COLUMNS: readonly TextColumn<Row>[] = [
  { head: '#', align: 'right', of: ({ rank }) => rank },
  { head: 'team', of: ({ name }) => name },
  ...(['mp', 'won', 'draw', 'lost', 'goals_scored', 'goals_allowed', 'pts'] as const).map(
    (code): TextColumn<Row> => ({ head: code, align: 'right', of: cellOf(code) }),
  ),
  { head: 'zone', of: ({ zone_name }) => zone_name },
];

/** Returns the league tables of all seasons by these rules on a day (YYYY-MM-DD), each with a heading and its corrections. */
export function leagueTables(results: readonly MatchResult[], rulesOf: RulesOf, day: string): string[] {
  const seasons = Map.groupBy(results, ({ competition_id, season_id }) => `${competition_id}/${season_id}`);
  return [...seasons.values()].flatMap((own) => {
    const { competition_id, season_id } = own[0] as MatchResult;
    const season = new SeasonTables(competition_id, season_id, rulesOf(competition_id, season_id));
    for (const result of own) season.apply(result);
    const leagues = season.derive().filter(({ type, active }) => type.kind === 'league' && active);
    return leagues.flatMap((table) => {
      const { groups } = JSON.parse(bodyOn(table, day)) as Body;
      const stage = table.object.type === 'stage' ? `, stage ${table.object.id}` : '';
      const where = `competition ${competition_id}, season ${season_id}${stage}`;
      return groups.map(({ id, participants, corrections }) => {
        const heading = `${table.name}: ${where}${id === '' ? '' : `, group ${id}`}`;
        const below = corrections.map((one) => `${escapeLine(correctionText(one))}\n`).join('');
        return `${escapeLine(heading)}\n${tableText(COLUMNS, participants)}${below}`;
      });
    });
  });
}
