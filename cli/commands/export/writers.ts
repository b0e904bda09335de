import { once } from 'node:events';
import { createWriteStream, openSync, renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { dateOf } from '#json/values.ts';
import type { ColumnType, ExportCell, ExportColumn, ExportRow } from './schema-columns.ts';

/** Writes rows one by one. The file is complete once `close` has resolved. */
export interface RowWriter {
  write(row: ExportRow): void | Promise<void>;
  close(): Promise<void>;
  /** Deletes the incomplete file. */
  abort(): void;
}

/** Number of rows in memory before they are written: a row group of Parquet. */
const GROUP_ROWS = 10_000;

/** Writes a Parquet file, compressed with Snappy, under a temporary name until it is complete. */
export function parquetWriter(file: string, columns: readonly ExportColumn[]): RowWriter {
  const part = `${file}.part`;
  const dataOf = (rows: readonly ExportRow[]) =>
    columns.map(({ name, type }, at) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => parquetValue(row[at] ?? null, type)),
    }));
  const parquet = new ParquetWriter({
    writer: fileWriter(part),
    schema: schemaFromColumnData({ columnData: dataOf([]) }),
  });
  let rows: ExportRow[] = [];
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await parquet.write({ columnData: dataOf(rows), rowGroupSize: GROUP_ROWS });
    rows = [];
  };
  return {
    write(row) {
      rows.push(row);
      return rows.length >= GROUP_ROWS ? flush() : undefined;
    },
    async close() {
      await flush();
      await parquet.finish();
      renameSync(part, file);
    },
    abort: () => rmSync(part, { force: true }),
  };
}

/** Writes a JSON object per line to `stdout`, or to a file under a temporary name until it is complete. */
export function jsonLinesWriter(
  file: string | null,
  columns: readonly ExportColumn[],
  stdout: Writable,
): RowWriter {
  const part = `${file}.part`;
  const stream = file === null ? stdout : fileStream(part);
  return {
    write(row) {
      // A failed stream never drains.
      if (stream.errored !== null) throw stream.errored;
      const values = columns.map(({ name, type }, at) => [name, jsonValue(row[at] ?? null, type)]);
      if (stream.write(`${JSON.stringify(Object.fromEntries(values))}\n`)) return;
      // `once` removes both of its listeners: a listener left at each wait makes Node warn of a leak.
      return once(stream, 'drain').then(() => {});
    },
    async close() {
      if (file === null) return;
      stream.end();
      await finished(stream);
      renameSync(part, file);
    },
    abort() {
      if (file !== null) rmSync(part, { force: true });
    },
  };
}

/** Opens a file at once, and throws when that fails. Later errors are in `errored`, since nobody may be waiting then. */
function fileStream(file: string): Writable {
  return createWriteStream(file, { fd: openSync(file, 'w') }).on('error', () => {});
}

function parquetValue(cell: ExportCell, type: ColumnType): unknown {
  if (cell === null) return undefined;
  if (type === 'INT64') return BigInt(cell);
  if (type === 'TIMESTAMP') return dateOf(Number(cell)) ?? undefined;
  return type === 'JSON' ? JSON.parse(String(cell)) : cell;
}

function jsonValue(cell: ExportCell, type: ColumnType): unknown {
  if (cell === null) return null;
  if (type === 'TIMESTAMP') return dateOf(Number(cell))?.toISOString() ?? null;
  return type === 'JSON' ? JSON.parse(String(cell)) : cell;
}
