/** The rows of the spec, where it lies beside the project. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SPEC = join(import.meta.dirname, '../../../shared/service-spec.md');

/** Whether it is there. */
export const haveSpec = existsSync(SPEC);

/** The text of each row of a section's first table: its cells, but for the empty ones, with colons between them. */
export function rowsOf(heading: string): string[] {
  const lines = section(heading);
  const start = lines.findIndex((line) => /^\|(-+\|)+$/.test(line)) + 1;
  const rows = lines.slice(start);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end === -1 ? undefined : end).map((row) => {
    const cells = row.split('|').map(plain);
    return cells.filter((cell) => cell !== '').join(': ');
  });
}

/** The numbered rules of a section. */
export function rulesOf(heading: string): string[] {
  return section(heading)
    .filter((line) => /^\d+\. /.test(line))
    .map(plain);
}

function section(heading: string): string[] {
  const lines = readFileSync(SPEC, 'utf8').split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`the spec has no ${heading}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('#'));
  return rest.slice(0, end === -1 ? undefined : end);
}

/** Text without its marks. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll("'", '’').trim();
}
