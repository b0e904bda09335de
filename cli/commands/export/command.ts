import { Argument } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseId, parseMoment } from '../option-values.ts';

/** The datasets that can be exported, with their help. */
export const EXPORTS = {
  states: 'match-state: one row per match, its current state',
  transitions: 'match-transitions: one row per change',
  'key-incidents':
    'match-state: one row per goal and red card, void ones included, with the side that it counts for',
  incidents: 'match-incidents: one row per incident, removed ones included',
  results: 'match-results: one row per match that is in a table',
  messages: 'normalized-messages: one row per message of the provider, of the last 400 days by default',
  'feed-health': 'one row per source, and per match of it; and one for each interruption of it',
  tables: 'standings: one row per row of the current tables',
  rankings: 'provider-standings: one row per row of the rankings of the provider',
  catalogue: 'one row per record of the provider’s catalogues',
} as const;

const names = Object.keys(EXPORTS) as (keyof typeof EXPORTS)[];

export const command = defineCommand('export', {
  about: `Writes flat rows with typed columns, read committed, of the current data. Exit code 1 when no match and no table
belongs to the competition or season. docs/guides/analyse.md shows how to open the files with DuckDB and pandas.`,
  examples: ['export states --out states.parquet', 'export feed-health --from 2026-11-21T18:00:00Z'],
})
  .addArgument(
    new Argument('<what>', names.map((name) => `${name}: ${EXPORTS[name]}`).join('\n')).choices(names),
  )
  .option('--out <file>', 'writes a Parquet file; default: JSON lines on the standard output')
  .option('--from <moment>', 'only rows whose last message was received at or after it', parseMoment)
  .option('--to <moment>', 'only rows whose last message was received before it', parseMoment)
  .option('--competition <id>', 'only rows of this competition', parseId)
  .option('--season <id>', 'only rows of this season', parseId);
