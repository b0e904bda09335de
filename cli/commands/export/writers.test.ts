import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import type { TopicName } from '#topics/topics.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { type ExportColumn, type ExportRow, type ExportShape, SHAPES } from './datasets.ts';
import { jsonLinesWriter, parquetWriter } from './writers.ts';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'flag', type: 'BOOLEAN' },
  { name: 'small', type: 'INT32' },
  { name: 'large', type: 'INT64' },
  { name: 'share', type: 'DOUBLE' },
  { name: 'name', type: 'STRING' },
  { name: 'body', type: 'JSON' },
  { name: 'moment', type: 'TIMESTAMP' },
];
const MOMENT = Date.UTC(2026, 10, 21, 18, 0, 0, 123);
const ROW: ExportRow = [true, -7, 2 ** 52 + 1, 0.5, 'Zürich', '{"a":[1]}', MOMENT];
/** What both formats write of `ROW` alike. */
const DECODED = { flag: true, small: -7, share: 0.5, name: 'Zürich' };
const UNKNOWN: ExportRow = COLUMNS.map(() => null);
/** A number that is no date, as a provider may send. */
const NO_DATE: ExportRow = [...ROW.slice(0, -1), 2 ** 53];

const fileIn = (name: string): string => join(temporaryFolder(), name);

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
  connection.closeSync();
  instance.closeSync();
  return rows as Record<string, unknown>[];
}

describe('a Parquet file', () => {
  test('is read by DuckDB with every type and null', async () => {
    const file = fileIn('a.parquet');
    const writer = parquetWriter(file, COLUMNS);
    await writer.write(ROW);
    await writer.write(UNKNOWN);
    await writer.write(NO_DATE);
    expect(existsSync(file)).toBe(false);
    await writer.close();
    const columns = 'flag, small, large, share, name, body::VARCHAR AS body, epoch_ms(moment) AS moment';
    const [row, unknown, noDate] = await query(`SELECT ${columns} FROM read_parquet('${file}')`);
    expect(row).toEqual({ ...DECODED, large: 2n ** 52n + 1n, body: '{"a":[1]}', moment: BigInt(MOMENT) });
    expect(Object.values(unknown ?? {})).toEqual(COLUMNS.map(() => null));
    expect(noDate).toEqual({ ...row, moment: null });
  });

  test('has all rows in order when they exceed a row group, and can be read without rows', async () => {
    const [many, none] = [fileIn('many.parquet'), fileIn('none.parquet')];
    const writer = parquetWriter(many, [{ name: 'n', type: 'INT32' }]);
    for (let n = 0; n < 25_000; n++) await writer.write([n]);
    await writer.close();
    await parquetWriter(none, COLUMNS).close();
    const sum = `SELECT count(*)::INT AS rows, sum(n)::BIGINT AS sum, max(abs(n - file_row_number))::INT AS apart`;
    expect(await query(`${sum} FROM read_parquet('${many}', file_row_number = true)`)).toEqual([
      { rows: 25_000, sum: 312_487_500n, apart: 0 },
    ]);
    expect(await query(`SELECT count(*)::INT AS rows FROM read_parquet('${none}')`)).toEqual([{ rows: 0 }]);
  });

  test('leaves no file when it is aborted', async () => {
    const file = fileIn('a.parquet');
    const writer = parquetWriter(file, COLUMNS);
    await writer.write(ROW);
    writer.abort();
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
  });
});

test('writes a JSON object per row', async () => {
  const lines: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const writer = jsonLinesWriter(COLUMNS, output);
  for (const row of [ROW, UNKNOWN, NO_DATE]) await writer.write(row);
  const [row, unknown, noDate] = lines.map((line) => JSON.parse(line));
  const large = 2 ** 52 + 1;
  expect(row).toEqual({ ...DECODED, large, body: { a: [1] }, moment: '2026-11-21T18:00:00.123Z' });
  expect(Object.values(unknown)).toEqual(COLUMNS.map(() => null));
  expect(noDate).toEqual({ ...row, moment: null });
});

test('fails when the file cannot be created', () => {
  expect(() => parquetWriter(join(fileIn('no-folder'), 'a.parquet'), COLUMNS)).toThrow('ENOENT');
});

const SEASON = { competition: 1, season: 2 };
const TOPICS: readonly (readonly [keyof typeof SHAPES, TopicName])[] = [
  ['states', 'match-state'],
  ['key-incidents', 'match-state'],
  ['transitions', 'match-transitions'],
  ['incidents', 'match-incidents'],
  ['results', 'match-results'],
  ['messages', 'normalized-messages'],
  ['feed-health', 'feed-health'],
  ['tables', 'standings'],
  ['rankings', 'provider-standings'],
  ['catalogue', 'catalogue'],
];

/** Returns the columns of a shape, and its rows of the sample of a topic. */
function sampleRows(name: keyof typeof SHAPES, topic: TopicName) {
  const { columns, rows } = SHAPES[name] as unknown as ExportShape<object>;
  return { columns, rows: rows(sampleOf(topic), SEASON) };
}

/** Returns the rows of the sample of a topic, by column. */
function rowsOf(name: keyof typeof SHAPES, topic: TopicName) {
  const { columns, rows } = sampleRows(name, topic);
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at]])));
}

test.each(TOPICS)('writes a cell of its type for every column of %s, and times as times', (name, topic) => {
  const { columns, rows } = sampleRows(name, topic);
  for (const { name, type } of columns)
    if (/(^|_)(ut|at|since|until)$/.test(name) && type !== 'STRING')
      expect([name, type]).toEqual([name, 'TIMESTAMP']);
  expect(rows.length).toBeGreaterThan(0);
  expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
  const types: Record<string, string> = { BOOLEAN: 'boolean', STRING: 'string', JSON: 'string' };
  for (const row of rows) {
    expect(row).toHaveLength(columns.length);
    for (const [at, { name, type }] of columns.entries())
      if (row[at] !== null) expect([name, typeof row[at]]).toEqual([name, types[type] ?? 'number']);
  }
});

test('has a column for what readers want first, and one for each side', () => {
  const [message] = rowsOf('messages', 'normalized-messages');
  expect(message).toMatchObject({ reported_home: 1, reported_away: 0, clock_time: 1_094, competition_id: 1 });
  expect(message?.incident_incident_subparticipant_name).toEqual(expect.any(String));
  expect(rowsOf('states', 'match-state')[0]).toMatchObject({ home_name: 'France', away_name: 'Croatia' });
  const [row] = rowsOf('tables', 'standings');
  expect(row).toMatchObject({ participant_name: 'France', points: 5, group_id: 31, club_id: null });
  expect(row).toMatchObject({ columns: '{"form":"D,W,W"}', ut: 1_531_670_000_000 });
});

test('has a row for the health of a feed, and one for each interruption', () => {
  const rows = rowsOf('feed-health', 'feed-health');
  expect(rows.map(({ gap_reason }) => gap_reason)).toEqual([null, 'network']);
  expect(rows[0]).not.toHaveProperty('gaps');
});

test('has a row for each goal and red card of a match, with its teams', () => {
  const [row] = rowsOf('key-incidents', 'match-state');
  const [key] = sampleOf('match-state').key_incidents;
  expect(row).toMatchObject({ ...key, home_name: 'France', season_id: sampleOf('match-state').season_id });
});
