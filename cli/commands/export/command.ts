/** `touchline export`: writes flat rows for analysis. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

/** The datasets that can be exported, with their help. */
export const EXPORTS = {
  states: 'match-state: one row per match, its current state',
  transitions: 'match-transitions: one row per change',
  incidents: 'match-incidents: one row per incident, removed ones included, with its effect on the score',
  results: 'match-results: one row per match that is in a table',
  messages: 'normalized-messages: one row per message of the provider, of the last 400 days by default',
  'feed-health': 'one row per source, and per match of it; and one for each interruption of it',
  tables: 'standings: one row per row of the current tables',
  rankings: 'provider-standings: one row per row of the rankings of the provider',
  catalogue: 'one row per record of the provider’s catalogues',
} as const;

const HELP = `Usage: touchline export <what> [--out <file>] [--from <moment>] [--to <moment>] [--competition <id>] [--season <id>]
       touchline export <what> --columns

Writes flat rows with typed columns, read committed, of the current data.

${Object.entries(EXPORTS)
  .map(([name, about]) => `  ${name.padEnd(14)}${about}`)
  .join('\n')}

  --out <file>        a file that ends with .parquet or .jsonl; default: JSON lines on the standard output
  --from, --to        only rows whose last message was received at or after --from and before --to, as 2026-11-21T18:00:00Z
  --competition <id>  only rows of this competition
  --season <id>       only rows of this season
  --columns           shows the names and types of the columns

Exit code 1 when no match and no table belongs to the competition or season.
${BROKER_HELP}
docs/guides/analyse.md shows how to open the files with DuckDB and pandas.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    out: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    competition: { type: 'string' },
    season: { type: 'string' },
    columns: { type: 'boolean', default: false },
  },
  words: (before) => (before.length === 0 ? Object.keys(EXPORTS) : []),
});
