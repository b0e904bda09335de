/** The values that docs/guides/reading.md shows how to read, in each language, and samples to read them from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleOf } from '#topics/testing/samples.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/guides/reading.md'), 'utf8');

/** Returns the cells of that column of the table of values, in the order of its rows. */
function column(head: string): string[] {
  const rows = /^\| value \| TypeScript .*\n(?:\|.*\n)+/m.exec(PAGE)?.[0].trim().split('\n') ?? [];
  const cells = rows.map((row) => row.slice(2, -2).split(' | '));
  const at = cells[0]?.findIndex((cell) => cell.includes(head)) ?? -1;
  return cells.slice(2).map((row) => row[at] ?? '');
}

const codeOf = (cell: string): string => cell.slice(1, -1);

/** The expressions by language: of `message`, `record` of match-incidents, and `table`. */
export const EXPRESSIONS = {
  TypeScript: column('TypeScript').map(codeOf),
  Python: column('Python').map(codeOf),
  Java: column('Java').map(codeOf),
};

/** The expressions of Flink SQL, each with its table. */
export const FLINK_EXPRESSIONS = column('Flink').map((cell) => {
  const [, , expression = '', table = ''] = /^(`+) ?(.+?) ?\1 of `(\w+)`$/.exec(cell) ?? [];
  return { expression, table };
});

/** A value of each topic of the table, and what its expressions return. */
export const SAMPLES = {
  message: sampleOf('normalized-messages'),
  record: sampleOf('match-incidents'),
  table: sampleOf('standings'),
};
export const SAMPLE_VALUES = [1, 1_094, 'A. Griezmann', 5];

/** The same without what may be unknown. */
export const UNKNOWN = {
  message: { ...SAMPLES.message, reported: null, clock: null },
  record: { ...SAMPLES.record, incident: null },
  table: SAMPLES.table,
};
export const UNKNOWN_VALUES = [null, null, null, 5];
