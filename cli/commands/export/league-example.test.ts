/** The example query of league results over exported states counts the results that tables count (docs/reference/standings.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { SHAPES } from './datasets.ts';
import { parquetWriter } from './writers.ts';

const SQL = readFileSync(new URL('../../../docs/examples/analysis/league.sql', import.meta.url), 'utf8');
const score = (home: number, away: number) => ({ home, away });

test('counts no result of an abandoned match, and the provider’s result of an awarded match', async () => {
  const folder = temporaryFolder();
  const writer = parquetWriter(join(folder, 'states.parquet'), SHAPES.states.columns);
  const matches = [
    { status_id: 11, score: score(2, 1), reported: score(2, 1) },
    { status_id: 7, score: score(1, 0), reported: score(1, 0) },
    { status_id: 12, score: score(1, 1), reported: score(0, 3) },
    { status_id: 12, score: score(1, 1), reported: null },
  ];
  for (const match of matches) {
    const state = { ...sampleOf('match-state'), status_type: 'finished', ...match };
    for (const row of SHAPES.states.rows(state, { competition: 1, season: 2 })) await writer.write(row);
  }
  await writer.close();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET file_search_path = '${folder}'`);
  const [season] = (await connection.runAndReadAll(SQL)).getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  const { season_id: _, ...results } = season ?? {};
  const numbers = Object.fromEntries(Object.entries(results).map(([name, value]) => [name, Number(value)]));
  expect(numbers).toEqual({ matches: 3, goals: 8, home_wins: 1, draws: 1, away_wins: 1 });
});
