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

/** What is said before the first section that requires anything. */
const OVERVIEW = ['Sports Data Service Specification', 'What the service does'];

/** Headings of lists, and what the tables beside it say: nothing to be held to. */
const SAYS_NOTHING = [
  'Known ones:',
  'Participant row:',
  'Result ids:',
  'Soccer incident types known:',
  'Rules:',
  'Responses:',
  'period-relative sports use clock_time.',
  'the neutral meaning is upstream unavailable.',
  'The service pushes events by webhook and offers a pull feed.',
  'The push transport for /v2/feed/{id} is not part of the REST surface;',
  'faster polling than the slowest latency band (7-15s) gives nothing.',
];

/** Every sentence outside of tables and rules, up to a full stop or a semicolon, but for those that call something not shown. */
export function sentencesOfSpec(): string[] {
  let section = '';
  const sentences: string[] = [];
  for (const line of readFileSync(SPEC, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = plain(line.replace(/^#+/, ''));
    else if (!OVERVIEW.includes(section) && !/^(\||\d+\. |$)/.test(line)) {
      sentences.push(...plain(line.replace(/^\s*- /, '')).split(/(?<=[.;])\s+/));
    }
  }
  return sentences.filter((one) => !one.includes('not shown') && !SAYS_NOTHING.includes(one));
}

function rowOf(line: string): string {
  const cells = line.split('|').map(plain);
  return cells.filter((cell) => cell !== '').join(': ');
}

/** Text without its marks. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll("'", '’').trim();
}
