import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { dateOf } from '#json/values.ts';
import type { ColumnType, ExportCell, ExportColumn, ExportRow } from './datasets.ts';

/** Writes rows one by one; a file is complete once `close` has resolved. */
export interface RowWriter {
  write(row: ExportRow): void | Promise<void>;
  close(): Promise<void>;
  abort(): void;
}

const GROUP_ROWS = 10_000;

/** Writes a Parquet file, compressed with Snappy, under a temporary name until it is complete. */
export function parquetWriter(file: string, columns: readonly ExportColumn[]): RowWriter {
  const part = `${file}.part`;
  const dataOf = (rows: readonly ExportRow[]) =>
    columns.map(({ name, type }, at) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => {
        const value = shown(row[at] ?? null, type) ?? undefined;
        return type === 'INT64' && value !== undefined ? BigInt(value as number) : value;
      }),
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

export function jsonLinesWriter(columns: readonly ExportColumn[], output: Writable): RowWriter {
  return {
    write(row) {
      const values = columns.map(({ name, type }, at) => [name, shown(row[at] ?? null, type)]);
      if (output.write(`${JSON.stringify(Object.fromEntries(values))}\n`)) return;
      // `once` removes both of its listeners: a listener left at each wait makes Node warn of a leak.
      return once(output, 'drain').then(() => {});
    },
    async close() {},
    abort() {},
  };
}

/** Returns a cell as JSON shows it. */
function shown(cell: ExportCell, type: ColumnType): unknown {
  if (cell === null) return null;
  if (type === 'TIMESTAMP') return dateOf(Number(cell));
  return type === 'JSON' ? JSON.parse(String(cell)) : cell;
}
