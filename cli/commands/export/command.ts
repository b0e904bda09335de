/** `touchline export`: flat rows for an analyst's tools. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

export const EXPORTS = {
  states: 'the state of each match, a row a match',
  transitions: 'what changed, a row a change, each with its id',
  incidents: 'the register of incidents, removed ones included, a row an incident',
  tables: 'the tables as they stand, a row a cell: rank, participant, code of the column, value',
} as const;

const HELP = `Usage: touchline export <what> [--out <file>] [--from <moment>] [--to <moment>] [--competition <id>] [--season <id>]
       touchline export <what> --columns

Writes flat rows with typed columns, read committed, as they stand now.

${Object.entries(EXPORTS)
  .map(([name, about]) => `  ${name.padEnd(13)}${about}`)
  .join('\n')}

  --out <file>        a file that ends with .parquet or .jsonl; default: JSON lines on the standard output
  --from, --to        only what was last changed by a message received from then on, and before then, as 2026-11-21T18:00:00Z
  --competition <id>  only of this competition
  --season <id>       only of this season
  --columns           shows names and types of the columns

Ends with exit code 1 where no match and no table is of the competition or season.
${BROKER_HELP}
docs/guides/analyse.md opens the files with DuckDB and pandas.
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
