/** The rows of the spec, where it lies beside the project. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SPEC = process.env.SERVICE_SPEC || join(import.meta.dirname, '../../../../shared/service-spec.md');

/** Whether it is there. */
export const haveSpec = existsSync(SPEC);

/**
 * Every row of its tables and every numbered rule, section by section, each behind the section's name: the cells of a row with
 * colons between, but for the empty ones.
 */
export function requirementsOfSpec(): string[] {
  const sections = new Map<string, string[]>();
  let section = '';
  let inTable = false;
  for (const line of readFileSync(SPEC, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = plain(line.replace(/^#+/, ''));
    const isRule = /^\d+\. /.test(line);
    if (/^\|(-+\|)+$/.test(line)) inTable = true;
    else if (!line.startsWith('|')) inTable = false;
    else if (inTable) add(rowOf(line));
    if (isRule) add(plain(line));
  }
  return [...sections].flatMap(([name, rows]) => rows.map((row) => `${name}: ${row}`));

  function add(row: string): void {
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
}

/** The whole specification, without its marks. */
export function textOfSpec(): string {
  return plain(readFileSync(SPEC, 'utf8'));
}

function rowOf(line: string): string {
  const cells = line.split('|').map(plain);
  return cells.filter((cell) => cell !== '').join(': ');
}

/** Text without its marks. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll("'", '’').trim();
}
